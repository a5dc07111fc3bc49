// The port of admission: plugins that change or refuse writes, between decoding and storage (spec/apiserver.md §15).
// Implementations are in `admission/`; the registry and the endpoints run the chain.

import type { GroupVersionKind, GroupVersionResource, KubeObject, Mutable } from '@homeostat/machinery';
import type { Reinvocation } from './reinvocation.ts';
import type { User } from './user.ts';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  /** Kind of `object`: the subresource's own kind for scale, binding, eviction and token. */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty for a create by generateName and for the static check of deletecollection. */
  readonly name: string;
  /** The wanted object; `admit` may change it in place, `validate` may not. Undefined for DELETE. */
  readonly object: Mutable<KubeObject> | undefined;
  /** The stored object, shared: never change it. Undefined for CREATE and CONNECT. */
  readonly oldObject: KubeObject | undefined;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions as sent, with kind and apiVersion. */
  readonly options: Readonly<Record<string, unknown>> | undefined;
  readonly dryRun: boolean;
  readonly user: User;
  readonly signal: AbortSignal;
  /** Shared by the rounds of the mutating pass. */
  readonly reinvocation: Reinvocation;
  addWarning(text: string): void;
  addAnnotation(key: string, value: string): void;
}

export interface AdmissionPlugin {
  /** Upstream's name, e.g. `NamespaceLifecycle`. */
  readonly name: string;
  handles(operation: AdmissionOperation): boolean;
  /** Mutating pass. @throws ApiError to refuse; other errors become 500. */
  admit?(attributes: AdmissionAttributes): Promise<void> | void;
  /** Validating pass, after all mutations and the kind's validation. @throws ApiError to refuse. */
  validate?(attributes: AdmissionAttributes): Promise<void> | void;
}
