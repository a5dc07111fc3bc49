// Classifies a request by its path, method and query (spec/apiserver.md §1.2), the way upstream's RequestInfoFactory does.
// Everything after it in the chain (authorization, metrics, endpoints) reads this instead of the URL.

/** What a request is about, before anybody looked whether such a thing exists. */
export interface RequestInfo {
  readonly isResourceRequest: boolean;
  /** Decoded path. */
  readonly path: string;
  /** `get list watch create update patch delete deletecollection proxy`, or the lower-case HTTP method. */
  readonly verb: string;
  /** `api`, `apis` or empty. */
  readonly apiPrefix: string;
  readonly group: string;
  readonly version: string;
  /** Empty for cluster-scoped requests and lists over all namespaces. */
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Path segments from the resource on: resource, name, subresource, rest. */
  readonly parts: readonly string[];
  /** Raw selectors of list, watch and deletecollection; empty otherwise. */
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

const namespaceSubresources = new Set(['status', 'finalize']);
const specialVerbs = new Set(['proxy', 'watch']);
const methodVerbs: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

export function parseRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const decoded = decodePath(path);
  const nonResource: RequestInfo = {
    isResourceRequest: false,
    path: decoded,
    verb: method.toLowerCase(),
    apiPrefix: '',
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: [],
    fieldSelector: '',
    labelSelector: '',
  };
  const trimmed = trimSlashes(decoded);
  let parts = trimmed === '' ? [] : trimmed.split('/');
  if (parts.length < 3) return nonResource;
  const apiPrefix = parts[0] ?? '';
  if (apiPrefix !== 'api' && apiPrefix !== 'apis') return nonResource;
  parts = parts.slice(1);
  let group = '';
  if (apiPrefix === 'apis') {
    if (parts.length < 3) return nonResource;
    group = parts[0] ?? '';
    parts = parts.slice(1);
  }
  const version = parts[0] ?? '';
  parts = parts.slice(1);
  let verb = methodVerbs[method] ?? '';
  if (specialVerbs.has(parts[0] ?? '')) {
    // `/api/v1/watch` alone names no resource: upstream answers it with a plain error.
    if (parts.length < 2) return { ...nonResource, apiPrefix, group, version, verb: parts[0] ?? '', parts };
    verb = parts[0] ?? '';
    parts = parts.slice(1);
  }
  let namespace = '';
  if (parts[0] === 'namespaces') {
    if (parts.length > 1) {
      namespace = parts[1] ?? '';
      if (parts.length > 2 && !namespaceSubresources.has(parts[2] ?? '')) parts = parts.slice(2);
    }
  }
  let name = parts[1] ?? '';
  let fieldSelector = '';
  let labelSelector = '';
  if (name === '' && verb === 'get') verb = isWatch(query) ? 'watch' : 'list';
  if (name === '' && verb === 'delete') verb = 'deletecollection';
  if (verb === 'list' || verb === 'watch' || verb === 'deletecollection') {
    fieldSelector = query.get('fieldSelector') ?? '';
    labelSelector = query.get('labelSelector') ?? '';
    if (name === '') name = exactName(fieldSelector);
  }
  return {
    isResourceRequest: true,
    path: decoded,
    verb,
    apiPrefix,
    group,
    version,
    namespace,
    resource: parts[0] ?? '',
    subresource: parts[2] ?? '',
    name,
    parts,
    fieldSelector,
    labelSelector,
  };
}

function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function trimSlashes(path: string): string {
  let start = 0;
  let end = path.length;
  while (start < end && path[start] === '/') start++;
  while (end > start && path[end - 1] === '/') end--;
  return path.slice(start, end);
}

function isWatch(query: URLSearchParams): boolean {
  const value = query.get('watch');
  return value !== null && value.toLowerCase() !== 'false' && value !== '0';
}

/** The name a field selector asks for exactly, when it is one that a path could hold; else empty. */
function exactName(fieldSelector: string): string {
  if (!fieldSelector.includes('metadata.name')) return '';
  for (const term of fieldSelector.split(',')) {
    const match = /^metadata\.name==?([^=\\]*)$/.exec(term);
    const name = match?.[1] ?? '';
    if (name !== '' && name !== '.' && name !== '..' && !/[/%]/.test(name)) return name;
  }
  return '';
}
