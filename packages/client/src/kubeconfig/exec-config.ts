// `users[].user.exec`: how to run a credential plugin (client.authentication.k8s.io). Checking only; `../node` runs it.

import { KubeconfigError } from './kubeconfig.ts';

/** A checked exec section. */
export interface ExecConfig {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment, over what is there. */
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  /** Told when the command is not there. */
  readonly installHint: string;
  /** Tells the plugin which cluster it is for. */
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
}

const versions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'] as const;
const modes = ['Never', 'IfAvailable', 'Always'] as const;

/** @throws KubeconfigError that names the user and the field. */
export function toExecConfig(user: string, exec: unknown): ExecConfig {
  const fail = (what: string): KubeconfigError => new KubeconfigError(`user ${JSON.stringify(user)}: ${what}`);
  const missing = (field: string): KubeconfigError =>
    fail(`${field} must be specified to use exec authentication plugin`);
  if (typeof exec !== 'object' || exec === null) throw fail('exec must be a mapping');
  const { command, args, env, apiVersion, installHint, provideClusterInfo, interactiveMode } = exec as Readonly<
    Record<string, unknown>
  >;
  if (typeof command !== 'string' || command === '') throw missing('command');
  if (typeof apiVersion !== 'string' || apiVersion === '') throw missing('apiVersion');
  const version = versions.find((known) => known === apiVersion);
  if (version === undefined) throw fail(`exec plugin: invalid apiVersion ${JSON.stringify(apiVersion)}`);
  const wantedMode = isUnset(interactiveMode) && version.endsWith('v1beta1') ? 'IfAvailable' : interactiveMode;
  if (isUnset(wantedMode)) throw missing('interactiveMode');
  const mode = modes.find((known) => known === wantedMode);
  if (mode === undefined) throw fail(`invalid interactiveMode: ${JSON.stringify(wantedMode)}`);
  return {
    command,
    args: listOf(args, () => fail('exec args must be a list')).map(String),
    env: listOf(env, () => fail('exec env must be a list')).map((entry) => {
      const { name, value = '' } = (entry ?? {}) as { readonly name?: unknown; readonly value?: unknown };
      if (typeof name !== 'string' || name === '') throw missing('env variable name');
      return { name, value: String(value) };
    }),
    apiVersion: version,
    installHint: typeof installHint === 'string' ? installHint : '',
    provideClusterInfo: provideClusterInfo === true,
    interactiveMode: mode,
  };
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function listOf(value: unknown, error: () => Error): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw error();
  return value;
}
