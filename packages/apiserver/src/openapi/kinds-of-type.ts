// Which kinds a type is, for the GVK extension of definitions: built-in types are one kind of their own group version; the
// options of deletes and the events of watches are kinds of every group version they are used in.

import { knownApiVersions, kindsOf, typeNameOf } from '@homeostat/api';
import { type GroupVersion, type GroupVersionKind, parseApiVersion } from '@homeostat/machinery';

const metaPrefix = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const everywhere = new Set(['DeleteOptions', 'WatchEvent']);

let kindsByType: ReadonlyMap<string, GroupVersionKind> | undefined;

/** The kinds of a type by its definition's name; `usedIn` are the group versions a document is about. */
export function kindsOfType(name: string, usedIn: readonly GroupVersion[] = []): readonly GroupVersionKind[] {
  kindsByType ??= buildKindsByType();
  const own = kindsByType.get(name);
  if (own === undefined) return [];
  if (!everywhere.has(own.kind)) return [own];
  const others = usedIn.filter(({ group }) => group !== '').map((gv) => ({ ...gv, kind: own.kind }));
  return [own, ...others];
}

function buildKindsByType(): ReadonlyMap<string, GroupVersionKind> {
  const kinds = new Map<string, GroupVersionKind>();
  for (const apiVersion of knownApiVersions()) {
    const gv = parseApiVersion(apiVersion);
    for (const kind of kindsOf(gv)) {
      const name = typeNameOf({ ...gv, kind });
      if (name === undefined) continue;
      // Every group version knows the meta kinds; they belong to the core one.
      if (name.startsWith(metaPrefix)) kinds.set(name, { group: '', version: 'v1', kind });
      else if (!kinds.has(name) || name.includes(`.${gv.version}.`)) kinds.set(name, { ...gv, kind });
    }
  }
  return kinds;
}
