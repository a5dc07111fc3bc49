// Types of a kubeconfig's fields. YAML reads `token: 12345` as a number and `as-groups: dev` as a string; kubectl refuses both, and what
// is taken for something else than it says would fail far from here, or not at all.

import { KubeconfigError } from './kubeconfig.ts';

type FieldType = 'string' | 'boolean' | 'list' | 'list of strings' | 'mapping' | 'mapping of lists';

const text = 'string' as const;

/** `clusters[].cluster`. */
export const clusterFields: Readonly<Record<string, FieldType>> = {
  server: text,
  'tls-server-name': text,
  'insecure-skip-tls-verify': 'boolean',
  'certificate-authority': text,
  'certificate-authority-data': text,
  'proxy-url': text,
  'disable-compression': 'boolean',
  extensions: 'list',
};

/** `users[].user`. */
export const userFields: Readonly<Record<string, FieldType>> = {
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  as: text,
  'as-uid': text,
  'as-groups': 'list of strings',
  'as-user-extra': 'mapping of lists',
  exec: 'mapping',
  'auth-provider': 'mapping',
};

/** `contexts[].context`. */
export const contextFields: Readonly<Record<string, FieldType>> = { cluster: text, user: text, namespace: text };

/** @throws KubeconfigError that names the entry (`what`), the field and what is wanted, never the value. */
export function checkFields(what: string, section: object, fields: Readonly<Record<string, FieldType>>): void {
  for (const [name, type] of Object.entries(fields)) {
    const value = (section as Readonly<Record<string, unknown>>)[name];
    if (value === undefined || value === null || is(value, type)) continue;
    const found = Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'a mapping' : `a ${typeof value}`;
    const hint = type === 'string' && typeof value !== 'object' ? ': put it in quotes' : '';
    throw new KubeconfigError(
      `${what}: ${name} must be a ${type}, found ${type.startsWith(found.slice(2)) ? 'something else in it' : found}${hint}`,
    );
  }
}

function is(value: unknown, type: FieldType): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'list':
      return Array.isArray(value);
    case 'list of strings':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'mapping':
      return typeof value === 'object' && !Array.isArray(value);
    case 'mapping of lists':
      return is(value, 'mapping') && Object.values(value as object).every((item) => is(item, 'list of strings'));
  }
}
