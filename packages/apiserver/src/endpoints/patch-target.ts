// What a patch is applied to, and with which rules; the same for stored objects and for Scale.

import type {
  GroupResource,
  GroupVersionKind,
  KubeObject,
  Mutable,
  OwnershipRequest,
  StructSchema,
} from '@homeostat/machinery';
import type { WarningRecorder } from '../server/warnings.ts';
import type { FieldValidation } from './write-options.ts';

export interface PatchTarget {
  readonly kind: GroupVersionKind;
  readonly schema: StructSchema;
  readonly resource: GroupResource;
  readonly name: string;
  readonly fieldValidation: FieldValidation;
  readonly warnings: WarningRecorder;
  /** Absent: ownership is recorded elsewhere (Scale). */
  readonly owner?: OwnershipRequest;
  applyDefaults(draft: Mutable<KubeObject>): void;
}
