// What a patch is applied to, and with which rules; the same for stored objects and for Scale.

import type { GroupResource, GroupVersionKind, Json, KubeObject, Mutable, StructSchema } from '@homeostat/machinery';
import type { WarningRecorder } from '../server/warnings.ts';
import type { EndpointOwner } from './ownership.ts';
import type { FieldValidation } from './write-options.ts';

export interface PatchTarget {
  readonly kind: GroupVersionKind;
  readonly schema: StructSchema;
  readonly resource: GroupResource;
  readonly name: string;
  readonly fieldValidation: FieldValidation;
  readonly warnings: WarningRecorder;
  /** Absent: ownership is recorded elsewhere (Scale). */
  readonly owner?: EndpointOwner;
  applyDefaults(draft: Mutable<KubeObject>): void;
  /** How objects without a Go type are read back; absent: by the schema. */
  readonly reader?: UntypedReader;
}

/** Reads what a patch or an apply made of a custom resource. */
export interface UntypedReader {
  /** A private draft; paths of unknown fields are added to `unknown`. @throws Error with the text of what is wrong */
  readPatched(patched: Json, unknown: string[]): Mutable<KubeObject>;
  /** A private draft of a merge, which shares with what it was merged from. */
  readMerged(merged: KubeObject): Mutable<KubeObject>;
  /** The patched document as refusals show it. */
  show(patched: Json): string;
}
