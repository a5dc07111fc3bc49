// POST of a Binding: gives a Pod its node (spec/apiserver.md §12.4), through `pods/<name>/binding` or the old `bindings`
// collection.

import type { ApiResponse } from '@homeostat/client';
import {
  cloneJson,
  type FieldError,
  FieldPath,
  formatTime,
  type KubeObject,
  type Mutable,
  newBadRequest,
  newConflict,
  newNotFound,
  newUnknown,
  notSupported,
  required,
} from '@homeostat/machinery';
import { guaranteedUpdate } from '../registry/guaranteed-update.ts';
import type { StoredResource } from '../registry/stored-resource.ts';
import type { EndpointRequest } from './endpoint-request.ts';
import { negotiateOutput, respondValue } from './output.ts';
import { updatePodCondition } from './pod-condition.ts';
import { createdStatus, readSubresourceBody, validateSubresourceBody } from './subresource-body.ts';

interface Binding extends KubeObject {
  readonly target?: { readonly kind?: string; readonly name?: string };
}

interface BoundPod extends KubeObject {
  spec?: { nodeName?: string; schedulingGates?: readonly unknown[] };
  status?: { nominatedNodeName?: string };
}

export async function handleBinding(request: EndpointRequest, pods: StoredResource): Promise<ApiResponse> {
  const { context } = request;
  const output = negotiateOutput(request, { table: false });
  const body = await readSubresourceBody(request);
  const binding = body.draft as Binding;
  const bodyName = binding.metadata?.name ?? '';
  const name = request.name === '' ? bodyName : request.name;
  if (name === '') throw newBadRequest('Name parameter required.');
  if (name !== bodyName) throw newBadRequest('name in URL does not match name in Binding object');
  const errors = validateTarget(binding);
  // Upstream sends the bare texts here.
  if (errors.length > 0) throw newUnknown(aggregate(errors));
  await validateSubresourceBody(request, body);
  await bindPod(pods, { ...request, name }, binding, body.options.dryRun);
  return respondValue(context, 201, createdStatus, output);
}

function validateTarget(binding: Binding): readonly FieldError[] {
  const path = new FieldPath('target');
  const kind = binding.target?.kind ?? '';
  const errors: FieldError[] = [];
  if (kind !== '' && kind !== 'Node') errors.push(notSupported(path.child('kind'), kind, ['Node', '<empty>']));
  if ((binding.target?.name ?? '') === '') errors.push(required(path.child('name')));
  return errors;
}

function aggregate(errors: readonly FieldError[]): string {
  const texts = errors.map((error) => `${error.field}: ${error.body}`);
  return texts.length > 1 ? `[${texts.join(', ')}]` : (texts[0] ?? '');
}

async function bindPod(
  pods: StoredResource,
  request: EndpointRequest,
  binding: Binding,
  dryRun: boolean,
): Promise<void> {
  const { namespace, name, context } = request;
  const meta = binding.metadata ?? {};
  const refuse = (text: string): Error => newConflict({ group: '', resource: 'pods/binding' }, name, text);
  await guaranteedUpdate(pods, {
    namespace,
    name,
    dryRun,
    signal: context.signal,
    term: context.term,
    preconditions: {
      ...((meta.uid ?? '') === '' ? {} : { uid: meta.uid }),
      ...((meta.resourceVersion ?? '') === '' ? {} : { resourceVersion: meta.resourceVersion }),
    },
    transform: (existing) => {
      if (existing === undefined) throw newNotFound(pods.groupResource, name);
      const pod = existing.object as BoundPod;
      if (pod.metadata?.deletionTimestamp !== undefined)
        throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
      const node = pod.spec?.nodeName ?? '';
      if (node !== '') throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(node)}`);
      if ((pod.spec?.schedulingGates ?? []).length > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
      const draft = cloneJson(pod) as Mutable<BoundPod>;
      draft.spec = { ...draft.spec, nodeName: binding.target?.name ?? '' };
      const podMeta = (draft.metadata ??= {});
      if (meta.annotations !== undefined) podMeta.annotations = { ...podMeta.annotations, ...meta.annotations };
      if (meta.labels !== undefined) podMeta.labels = { ...podMeta.labels, ...meta.labels };
      // A nomination ends with the binding, whichever node it was.
      if (draft.status !== undefined) delete draft.status.nominatedNodeName;
      updatePodCondition(
        draft as Mutable<KubeObject>,
        { type: 'PodScheduled', status: 'True' },
        formatTime(pods.env.clock.nowMs()),
      );
      return { type: 'put', draft: draft as Mutable<KubeObject> };
    },
  });
}
