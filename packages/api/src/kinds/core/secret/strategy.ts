// Secrets: typed maps of bytes. `stringData` is for writing only and becomes `data` when the request is decoded.

import {
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  isConfigMapKey,
  required,
  tooLong,
  setOwn,
} from '@homeostat/machinery';
import type { Secret } from '@homeostat/api/types/core-v1';
import type { KindStrategy } from '../../../strategy.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../../metadata/object-meta.ts';
import { base64Bytes } from '../../rules/base64.ts';
import { jsonType, readJsonText } from '../../rules/json-text.ts';
import { nameIsDnsSubdomain } from '../../rules/names.ts';
import { hasKey, immutableText, pushInvalid, sortedKeys } from '../../rules/values.ts';
import { semanticEqual } from '../../semantic-equal.ts';
import { tlsWarning } from './tls-pair.ts';

const metadataPath = new FieldPath('metadata');
const dataPath = new FieldPath('data');
const bytesMax = 1024 * 1024;
const accountAnnotation = 'kubernetes.io/service-account.name';

export const secretStrategy: KindStrategy<Secret> = {
  applyDefaults(draft) {
    draft.type ||= 'Opaque';
    if (draft.stringData === undefined) return;
    for (const [key, value] of Object.entries(draft.stringData)) {
      setOwn((draft.data ??= {}), key, Buffer.from(value, 'utf8').toString('base64'));
    }
    delete draft.stringData;
  },
  validateCreate: validateSecret,
  warningsOnCreate: tlsWarning,
  prepareForUpdate(draft, old) {
    if (draft.type === undefined && old.type !== undefined) draft.type = old.type;
  },
  validateUpdate(secret, old) {
    const errors = validateKubeObjectMetaUpdate(secret.metadata ?? {}, old.metadata ?? {}, metadataPath);
    const type = secret.type ?? '';
    if (type !== (old.type ?? '')) errors.push(invalid(new FieldPath('type'), type, immutableText));
    if (old.immutable === true) validateImmutable(secret, old, errors);
    return [...errors, ...validateSecret(secret)];
  },
  warningsOnUpdate: tlsWarning,
  selectableFields: (secret) => ({ type: secret.type ?? '' }),
  fieldLabels: ['type'],
};

function validateImmutable(secret: Secret, old: Secret, errors: FieldError[]): void {
  const text = 'field is immutable when `immutable` is set';
  if (secret.immutable !== true) errors.push(forbidden(new FieldPath('immutable'), text));
  if (!semanticEqual(secret.data ?? {}, old.data ?? {})) errors.push(forbidden(dataPath, text));
}

function validateSecret(secret: Secret): FieldError[] {
  const { data } = secret;
  const errors = validateKubeObjectMeta(
    secret.metadata ?? {},
    { namespaced: true, name: nameIsDnsSubdomain },
    metadataPath,
  );
  let size = 0;
  for (const key of sortedKeys(data)) {
    pushInvalid(isConfigMapKey(key), key, dataPath.key(key), errors);
    size += base64Bytes(data?.[key] ?? '');
  }
  if (size > bytesMax) errors.push(tooLong(dataPath, bytesMax));
  validateByType(secret, errors);
  return errors;
}

/** Each well-known type promises its readers certain keys. */
function validateByType(secret: Secret, errors: FieldError[]): void {
  const { data } = secret;
  const need = (key: string): void => {
    if (!hasKey(data, key)) errors.push(required(dataPath.key(key)));
  };
  switch (secret.type ?? '') {
    case 'kubernetes.io/service-account-token':
      if ((secret.metadata?.annotations?.[accountAnnotation] ?? '') === '') {
        errors.push(required(metadataPath.child('annotations').key(accountAnnotation)));
      }
      break;
    case 'kubernetes.io/dockercfg':
      validateJson(data, '.dockercfg', errors);
      break;
    case 'kubernetes.io/dockerconfigjson':
      validateJson(data, '.dockerconfigjson', errors);
      break;
    case 'kubernetes.io/basic-auth':
      if (hasKey(data, 'username') || hasKey(data, 'password')) break;
      need('username');
      need('password');
      break;
    case 'kubernetes.io/ssh-auth':
      if ((data?.['ssh-privatekey'] ?? '') === '') errors.push(required(dataPath.key('ssh-privatekey')));
      break;
    case 'kubernetes.io/tls':
      need('tls.crt');
      need('tls.key');
      break;
  }
}

function validateJson(data: Secret['data'], key: string, errors: FieldError[]): void {
  const value = data?.[key];
  if (value === undefined) {
    errors.push(required(dataPath.key(key)));
    return;
  }
  const problem = jsonObjectProblem(Buffer.from(value, 'base64').toString('utf8'));
  if (problem !== undefined) errors.push(invalid(dataPath.key(key), '<secret contents redacted>', problem));
}

/** What Go's decoder says of a text that is no JSON object. */
function jsonObjectProblem(text: string): string | undefined {
  const read = readJsonText(text);
  if ('problem' in read) return read.problem;
  const { value } = read;
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined;
  return `json: cannot unmarshal ${jsonType(value)} into Go value of type map[string]interface {}`;
}
