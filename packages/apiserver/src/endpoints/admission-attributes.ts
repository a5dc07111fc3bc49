// Builds what admission plugins see from an endpoint's request.

import { type GroupVersionKind, type KubeObject, type Mutable } from '@homeostat/machinery';
import type { AdmissionAttributes, AdmissionOperation } from '../server/admission.ts';
import { Reinvocation } from '../server/reinvocation.ts';
import type { EndpointRequest } from './endpoint-request.ts';

export interface AdmissionInput {
  readonly operation: AdmissionOperation;
  readonly object?: Mutable<KubeObject> | undefined;
  readonly oldObject?: KubeObject | undefined;
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  readonly dryRun: boolean;
  /** Default: the request's. */
  readonly name?: string;
  /** Default: the resource's, or the subresource's own. */
  readonly kind?: GroupVersionKind;
  readonly subresource?: string;
}

export function admissionAttributes(request: EndpointRequest, input: AdmissionInput): AdmissionAttributes {
  const { context, entry, subresource } = request;
  const { info } = entry;
  return {
    operation: input.operation,
    kind: input.kind ?? subresource?.kind ?? { group: info.group, version: info.version, kind: info.kind },
    resource: { group: info.group, version: info.version, resource: info.resource },
    subresource: input.subresource ?? subresource?.name ?? '',
    namespace: request.namespace,
    name: input.name ?? request.name,
    object: input.object,
    oldObject: input.oldObject,
    options: input.options,
    dryRun: input.dryRun,
    user: context.user,
    signal: context.signal,
    reinvocation: new Reinvocation(),
    addWarning: (text) => context.warnings.add(text),
    addAnnotation: (key, value) => context.annotate(key, value),
  };
}
