// Kubeconfig files: which are read, in which order (spec/client.md §2.1). The environment is the caller's to read.

import { readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { decodeYaml } from '@homeostat/machinery/yaml';
import { type Kubeconfig, KubeconfigError, type KubeconfigFile, mergeKubeconfigs } from '../kubeconfig/kubeconfig.ts';

export interface LoadKubeconfigOptions {
  /** An explicit path: it alone is read, and must exist. */
  readonly path?: string | undefined;
  /** Value of KUBECONFIG: paths, missing ones skipped. */
  readonly variable?: string | undefined;
  /** The home folder, for `.kube/config`. */
  readonly home?: string | undefined;
}

/**
 * Reads and merges the kubeconfig files.
 * @throws KubeconfigError when a file can't be read or is not a kubeconfig. No file at all gives an empty configuration.
 */
export function loadKubeconfig(options: LoadKubeconfigOptions): Kubeconfig {
  const files: KubeconfigFile[] = [];
  for (const file of kubeconfigPaths(options)) {
    const content = readKubeconfigFile(file);
    if (content !== undefined) files.push({ file, content });
    else if (options.path !== undefined) throw new KubeconfigError(`${file}: ENOENT: there is no such file`);
  }
  return mergeKubeconfigs(files);
}

/** The files that {@link loadKubeconfig} looks for, absolute, first wins. */
export function kubeconfigPaths({ path, variable, home }: LoadKubeconfigOptions): readonly string[] {
  if (path !== undefined) return [resolve(path)];
  if (variable !== undefined && variable !== '') {
    return [...new Set(variable.split(delimiter).filter((part) => part !== ''))].map((part) => resolve(part));
  }
  return home === undefined ? [] : [join(home, '.kube', 'config')];
}

/** A decoded file; undefined when there is none. @throws KubeconfigError when it can't be read or is not YAML. */
export function readKubeconfigFile(file: string): unknown {
  try {
    return decodeYaml(readFileSync(file, 'utf8')) ?? null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new KubeconfigError(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
