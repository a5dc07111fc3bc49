// What endpoints must know of a custom resource beyond what every served resource has.

import type { CustomResourceDefinition } from '@homeostat/api/types/apiextensions-v1';
import type { ReplicasPaths, StructSchema } from '@homeostat/machinery';
import type { ScalePaths } from './scale-paths.ts';
import type { VersionSchema } from './version-schema.ts';

export interface CustomKind {
  readonly definition: CustomResourceDefinition;
  /** By apiVersion, of every version, served or not. */
  readonly schemas: ReadonlyMap<string, VersionSchema>;
  /** The same as types, for field ownership. */
  readonly types: ReadonlyMap<string, StructSchema>;
  /** Where each version keeps the replicas that its Scale shows. */
  readonly replicasPaths: ReplicasPaths;
  /** Of this version; absent: it has no scale. */
  readonly scale?: ScalePaths;
  /** Warning that every request to this version gets. */
  readonly deprecation?: string;
}
