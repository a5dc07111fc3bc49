// Which ConfigMaps and Secrets a Pod can't do without (spec/node.md §4.3, §12.3). Pure. The injected token volume is left out: whoever
// injects it also publishes what is in it.

import type { Container, KeyToPath, Pod, Volume } from '@homeostat/api/types/core-v1';

export type ReferenceKind = 'ConfigMap' | 'Secret';

export interface Reference {
  readonly kind: ReferenceKind;
  readonly name: string;
  /** That must be there; none: the object alone. */
  readonly keys: readonly string[];
}

export interface VolumeReference extends Reference {
  readonly volume: string;
}

const tokenVolume = /^kube-api-access-/;

export function volumeReferences({ spec }: Pod): readonly VolumeReference[] {
  return (spec?.volumes ?? []).filter(({ name }) => !tokenVolume.test(name)).flatMap(ofVolume);
}

function ofVolume({ name: volume, configMap, secret, projected }: Volume): readonly VolumeReference[] {
  const found: VolumeReference[] = [];
  const add = (
    kind: ReferenceKind,
    name: string | undefined,
    source: { readonly items?: readonly KeyToPath[]; readonly optional?: boolean },
  ): void => {
    if (source.optional === true || name === undefined || name === '') return;
    found.push({ volume, kind, name, keys: (source.items ?? []).map(({ key }) => key) });
  };
  if (configMap !== undefined) add('ConfigMap', configMap.name, configMap);
  if (secret !== undefined) add('Secret', secret.secretName, secret);
  for (const source of projected?.sources ?? []) {
    if (source.configMap !== undefined) add('ConfigMap', source.configMap.name, source.configMap);
    if (source.secret !== undefined) add('Secret', source.secret.name, source.secret);
  }
  return found;
}

export function environmentReferences({ env = [], envFrom = [] }: Container): readonly Reference[] {
  const found: Reference[] = [];
  const add = (
    kind: ReferenceKind,
    source: { readonly name?: string; readonly key?: string; readonly optional?: boolean } | undefined,
  ): void => {
    if (source?.name === undefined || source.name === '' || source.optional === true) return;
    found.push({ kind, name: source.name, keys: source.key === undefined ? [] : [source.key] });
  };
  for (const { configMapRef, secretRef } of envFrom) {
    add('ConfigMap', configMapRef);
    add('Secret', secretRef);
  }
  for (const { valueFrom } of env) {
    add('ConfigMap', valueFrom?.configMapKeyRef);
    add('Secret', valueFrom?.secretKeyRef);
  }
  return found;
}

/** What is wrong with a volume's reference; `present`: the object's keys, undefined when there is no such object. */
export function volumeProblem(
  reference: VolumeReference,
  present: ReadonlySet<string> | undefined,
): string | undefined {
  const cause = causeOf(
    reference,
    present,
    (key) => `references non-existent ${reference.kind === 'Secret' ? 'secret' : 'config'} key: ${key}`,
  );
  return cause === undefined ? undefined : `MountVolume.SetUp failed for volume "${reference.volume}" : ${cause}`;
}

export function environmentProblem(
  reference: Reference,
  namespace: string,
  present: ReadonlySet<string> | undefined,
): string | undefined {
  return causeOf(
    reference,
    present,
    (key) => `couldn't find key ${key} in ${reference.kind} ${namespace}/${reference.name}`,
  );
}

function causeOf(
  { kind, name, keys }: Reference,
  present: ReadonlySet<string> | undefined,
  ofKey: (key: string) => string,
): string | undefined {
  if (present === undefined) return `${kind.toLowerCase()} "${name}" not found`;
  const missing = keys.find((key) => !present.has(key));
  return missing === undefined ? undefined : ofKey(missing);
}
