// `homeostat kubeconfig`: prints the administrator kubeconfig of a cluster, or adds it to the user's own as a context.

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { encodeYaml } from '@homeostat/machinery';
import { decodeYaml } from '@homeostat/machinery/yaml';
import { CliError } from '../cli-error.ts';
import { boolFlag, type FlagValues, textFlag } from '../flags/flag.ts';

interface Named {
  readonly name?: string;
}

interface KubeconfigFile {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly clusters?: readonly Named[];
  readonly users?: readonly Named[];
  readonly contexts?: readonly (Named & { readonly context?: { readonly cluster?: string; readonly user?: string } })[];
  readonly 'current-context'?: string;
}

export function kubeconfig(values: FlagValues): Promise<void> {
  const source = path.join(textFlag(values, 'data-dir') ?? '.homeostat', 'kubeconfig');
  if (!existsSync(source))
    throw new CliError(`${source} does not exist: start the cluster first (homeostat up), or name its --data-dir`);
  if (!boolFlag(values, 'merge')) {
    process.stdout.write(readFileSync(source, 'utf8'));
    return Promise.resolve();
  }
  const context = textFlag(values, 'context') ?? 'homeostat';
  const target =
    (process.env['KUBECONFIG'] ?? '').split(path.delimiter).find((file) => file !== '') ??
    path.join(homedir(), '.kube', 'config');
  const merged = mergeContext(read(target), read(source), context);
  mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
  // Renamed into place: a reader never sees half a file.
  const temporary = `${target}.${process.pid}.tmp`;
  writeFileSync(temporary, encodeYaml(merged as never), { mode: 0o600 });
  renameSync(temporary, target);
  process.stdout.write(`context ${context} added to ${target} and made the current one\n`);
  return Promise.resolve();
}

/** Adds the current context of `source` to `target` under the name `context`; entries of that name are replaced. */
export function mergeContext(target: KubeconfigFile, source: KubeconfigFile, context: string): KubeconfigFile {
  const chosen = source.contexts?.find((entry) => entry.name === source['current-context']) ?? source.contexts?.[0];
  const cluster = source.clusters?.find((entry) => entry.name === chosen?.context?.cluster);
  const user = source.users?.find((entry) => entry.name === chosen?.context?.user);
  if (chosen === undefined || cluster === undefined || user === undefined)
    throw new CliError('the kubeconfig of the cluster names no context');
  const replace = <T extends Named>(entries: readonly T[] | undefined, entry: T): readonly T[] => [
    ...(entries ?? []).filter((other) => other.name !== context),
    { ...entry, name: context },
  ];
  return {
    apiVersion: 'v1',
    kind: 'Config',
    ...target,
    clusters: replace(target.clusters, cluster),
    users: replace(target.users, user),
    contexts: replace(target.contexts, { ...chosen, context: { ...chosen.context, cluster: context, user: context } }),
    'current-context': context,
  };
}

function read(file: string): KubeconfigFile {
  if (!existsSync(file)) return {};
  try {
    return (decodeYaml(readFileSync(file, 'utf8')) ?? {}) as KubeconfigFile;
  } catch (error) {
    throw new CliError(
      `${file} can't be read as a kubeconfig: ${error instanceof Error ? error.message : String(error)}`,
      1,
      { cause: error },
    );
  }
}
