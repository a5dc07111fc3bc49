// Where a custom resource keeps what its Scale shows: the paths of its definition, read and written.

import type { CustomResourceSubresourceScale } from '@homeostat/api/types/apiextensions-v1';
import { asMap, getOwn, type Json, type KubeObject, setOwn } from '@homeostat/machinery';

type Path = readonly string[];

export interface ScalePaths {
  readonly specReplicas: Path;
  readonly statusReplicas: Path;
  /** Absent: the Scale has no selector. */
  readonly labelSelector?: Path;
}

export function scalePaths(scale: CustomResourceSubresourceScale): ScalePaths {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale;
  return {
    specReplicas: simplePath(specReplicasPath),
    statusReplicas: simplePath(statusReplicasPath),
    ...(labelSelectorPath === '' ? {} : { labelSelector: simplePath(labelSelectorPath) }),
  };
}

/** `.spec.replicas` as steps. */
export function simplePath(path: string): Path {
  return path.replace(/^\./, '').split('.');
}

/** Undefined when there is nothing. */
export function valueAt(object: KubeObject, path: Path): Json | undefined {
  let value: Json | undefined = object as Json;
  for (const step of path) {
    const map = asMap(value);
    if (map === undefined) return undefined;
    value = getOwn(map, step);
  }
  return value;
}

/** A copy of an object with another value at a path; maps on the way are made where they are missing. */
export function withValueAt(object: KubeObject, path: Path, value: Json): KubeObject {
  return replaceAt(object as Json, path, value) as KubeObject;
}

function replaceAt(at: Json | undefined, [step, ...rest]: Path, value: Json): Json {
  if (step === undefined) return value;
  const map = asMap(at) ?? {};
  const copy = { ...map };
  setOwn(copy, step, replaceAt(getOwn(map, step), rest, value));
  return copy;
}
