// Keys name objects within one resource: `namespace/name`, or `name` for cluster-scoped ones.

/** `namespace/name`, or `name` for a cluster-scoped object. */
export type ObjectKey = string;

/** What names an object: whole ones have it, and parts of one to apply. */
export interface Named {
  readonly metadata?: { readonly name?: string | undefined; readonly namespace?: string | undefined } | undefined;
}

/** The key of an object. @throws Error when it has no name. */
export function keyOf(object: Named): ObjectKey {
  const metadata = object.metadata;
  const name = metadata?.name;
  if (name === undefined || name === '') throw new Error('an object without metadata.name has no key');
  const namespace = metadata?.namespace;
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** Joins a namespace (undefined or empty: cluster-scoped) and a name. */
export function toKey(namespace: string | undefined, name: string): ObjectKey {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** The parts of a key. @throws Error when it has more than one slash. */
export function splitKey(key: ObjectKey): { readonly namespace: string | undefined; readonly name: string } {
  const slash = key.indexOf('/');
  if (slash === -1) return { namespace: undefined, name: key };
  if (key.indexOf('/', slash + 1) !== -1) throw new Error(`unexpected key format: ${JSON.stringify(key)}`);
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
