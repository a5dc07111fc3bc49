// Files of one volume that would hide one another: the same path twice, or one that is a directory of another.

import { quote } from '@homeostat/machinery';
import type { Volume, VolumeProjection } from '@homeostat/api/types/core-v1';

interface File {
  readonly path: string;
  readonly source: string;
}

export function warningsForOverlappingPaths(volumes: readonly Volume[]): readonly string[] {
  const warnings: string[] = [];
  for (const { name, configMap, secret, downwardAPI, projected } of volumes) {
    const add = (what: string, files: readonly File[]): void => {
      for (const overlap of overlapsOf(files))
        warnings.push(`volume ${quote(name)} (${what}): overlapping paths: ${overlap}`);
    };
    if (configMap !== undefined) add(`ConfigMap ${quote(configMap.name ?? '')}`, filesOf(configMap.items, ''));
    if (secret !== undefined) add(`Secret ${quote(secret.secretName ?? '')}`, filesOf(secret.items, ''));
    if (downwardAPI !== undefined) add('DownwardAPI', filesOf(downwardAPI.items, ''));
    if (projected === undefined) continue;
    const sources = projected.sources ?? [];
    for (const source of sources) {
      if (Object.keys(source).length === 0) warnings.push(`volume ${quote(name)} (Projected) has no sources provided`);
    }
    add('Projected', sources.flatMap(filesOfProjection));
  }
  return warnings;
}

function filesOf(items: readonly { readonly path: string }[] | undefined, source: string): readonly File[] {
  return (items ?? []).map(({ path }) => ({ path: path ?? '', source }));
}

function filesOfProjection(source: VolumeProjection): readonly File[] {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  if (configMap?.items !== undefined) return filesOf(configMap.items, `ConfigMap ${quote(configMap.name ?? '')}`);
  if (secret?.items !== undefined) return filesOf(secret.items, `Secret ${quote(secret.name ?? '')}`);
  if (downwardAPI?.items !== undefined) return filesOf(downwardAPI.items, 'DownwardAPI');
  return serviceAccountToken === undefined
    ? []
    : [{ path: serviceAccountToken.path ?? '', source: 'ServiceAccountToken' }];
}

function overlapsOf(files: readonly File[]): readonly string[] {
  const overlaps: string[] = [];
  const seen: File[] = [];
  for (const { path, source } of files) {
    const file = { path: path.replace(/\/+$/, ''), source };
    for (const other of seen)
      if (overlap(file.path, other.path)) overlaps.push(`${format(file)} with ${format(other)}`);
    seen.push(file);
  }
  return overlaps;
}

function overlap(a: string, b: string): boolean {
  return a !== '' && b !== '' && (`${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`));
}

function format({ path, source }: File): string {
  return source === '' ? quote(path) : `${quote(path)} (${source})`;
}
