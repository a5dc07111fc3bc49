// The kubeconfig format: parsing and merging (spec/client.md §2.1). Pure; reading files is in `../node`.

/** `clusters[].cluster`. Paths are as written in the file. */
export interface KubeconfigCluster {
  readonly server?: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
  readonly 'disable-compression'?: boolean;
  readonly extensions?: readonly { readonly name: string; readonly extension?: unknown }[];
}

/** `users[].user`. */
export interface KubeconfigUser {
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly as?: string;
  readonly 'as-uid'?: string;
  readonly 'as-groups'?: readonly string[];
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>>;
  /** See `toExecConfig`. */
  readonly exec?: unknown;
  readonly 'auth-provider'?: { readonly name?: string; readonly config?: Readonly<Record<string, string>> } | null;
}

/** `contexts[].context`. */
export interface KubeconfigContext {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** An entry and the file it came from, against whose folder its paths are resolved. */
export interface Located<T> {
  readonly value: T;
  readonly file: string;
}

/** The merged view of all files. */
export interface Kubeconfig {
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, Located<KubeconfigCluster>>;
  readonly users: ReadonlyMap<string, Located<KubeconfigUser>>;
  readonly contexts: ReadonlyMap<string, Located<KubeconfigContext>>;
}

/** A kubeconfig that can't be used; the message says which file, entry and field. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

/** A decoded file. */
export interface KubeconfigFile {
  readonly file: string;
  readonly content: unknown;
}

/**
 * Merges files in order: of entries with one name the first wins, whole; of `current-context` the first that is not empty.
 * @throws KubeconfigError when a file is not a kubeconfig.
 */
export function mergeKubeconfigs(files: readonly KubeconfigFile[]): Kubeconfig {
  const clusters = new Map<string, Located<KubeconfigCluster>>();
  const users = new Map<string, Located<KubeconfigUser>>();
  const contexts = new Map<string, Located<KubeconfigContext>>();
  let currentContext = '';
  for (const { file, content } of files) {
    if (content === null || content === undefined) continue;
    if (!isRecord(content)) throw new KubeconfigError(`${file}: a kubeconfig must be a mapping`);
    const { kind } = content;
    if (kind !== undefined && kind !== 'Config')
      throw new KubeconfigError(`${file}: kind must be Config: ${JSON.stringify(kind)}`);
    addEntries(clusters, { file, content, list: 'clusters', field: 'cluster' });
    addEntries(users, { file, content, list: 'users', field: 'user' });
    addEntries(contexts, { file, content, list: 'contexts', field: 'context' });
    const current = content['current-context'];
    if (currentContext === '' && typeof current === 'string') currentContext = current;
  }
  return { currentContext, clusters, users, contexts };
}

function addEntries<T>(
  target: Map<string, Located<T>>,
  from: {
    readonly file: string;
    readonly content: Readonly<Record<string, unknown>>;
    readonly list: string;
    readonly field: string;
  },
): void {
  const { file, content, list, field } = from;
  const entries = content[list] ?? [];
  if (!Array.isArray(entries)) throw new KubeconfigError(`${file}: ${list} must be a list`);
  for (const entry of entries as readonly unknown[]) {
    if (!isRecord(entry) || typeof entry['name'] !== 'string')
      throw new KubeconfigError(`${file}: an entry of ${list} has no name`);
    const value = entry[field] ?? {};
    if (!isRecord(value))
      throw new KubeconfigError(`${file}: ${list} ${JSON.stringify(entry['name'])}: ${field} must be a mapping`);
    if (!target.has(entry['name'])) target.set(entry['name'], { value: value as T, file });
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
