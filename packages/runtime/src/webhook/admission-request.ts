// What handlers of admission webhooks see of a request (`admission.k8s.io/v1 AdmissionRequest`).

import type { UserInfo } from '@homeostat/client';
import type { GroupVersionKind, GroupVersionResource } from '@homeostat/machinery';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** The request without its objects, as the API server sent it. Absent texts are empty. */
export interface AdmissionRequest {
  /** Names this call; the same write may come again under another. */
  readonly uid: string;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  /** e.g. `status`, `scale`; empty for the resource itself. */
  readonly subResource: string;
  /** Kind and resource as the client asked for them, where the server converted (`matchPolicy: Equivalent`). */
  readonly requestKind: GroupVersionKind;
  readonly requestResource: GroupVersionResource;
  /** May be empty at a CREATE by generateName. */
  readonly name: string;
  /** Empty for cluster-scoped objects; a Namespace's is its own name. */
  readonly namespace: string;
  readonly operation: AdmissionOperation;
  readonly userInfo: UserInfo;
  /** Nothing will be stored: have no side effects. */
  readonly dryRun: boolean;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions. */
  readonly options: Readonly<Record<string, unknown>> | undefined;
}

/** What all handlers get beside the objects. */
export interface HandlerContext {
  readonly request: AdmissionRequest;
  /** Aborts when the API server has stopped waiting, or this webhook's time is over. */
  readonly signal: AbortSignal;
  /** Shown to the user beside the answer, whatever it is; at most some 100 characters, so that it is shown whole. */
  warn(text: string): void;
  /** Kept in the API server's audit log under `<webhook>/<key>`. */
  annotate(key: string, value: string): void;
}

/** The objects of a request, told apart by its operation. `O` is what the webhook asked for. */
export type AdmissionObjects<T, O extends AdmissionOperation> = O extends 'CREATE'
  ? { readonly operation: 'CREATE'; readonly object: T; readonly oldObject: undefined }
  : O extends 'UPDATE'
    ? { readonly operation: 'UPDATE'; readonly object: T; readonly oldObject: T }
    : O extends 'DELETE'
      ? { readonly operation: 'DELETE'; readonly object: undefined; readonly oldObject: T }
      : { readonly operation: 'CONNECT'; readonly object: T; readonly oldObject: undefined };

export type AdmissionContext<T, O extends AdmissionOperation> = HandlerContext & AdmissionObjects<T, O>;
