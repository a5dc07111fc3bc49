// Subresources that need a connection to a node (exec, attach, portforward, proxy). Admission looks at them as CONNECT. No
// node is dialled here, so they end in 501; what upstream refuses before it dials is refused in the same words.

import { ApiError } from '@homeostat/base';
import { newBadRequest, newNotFound } from '@homeostat/machinery';
import type { StoredResource } from '../registry/stored-resource.ts';
import { admissionAttributes } from './admission-attributes.ts';
import { connectOptions } from './connect-options.ts';
import type { EndpointRequest } from './endpoint-request.ts';
import { waitForCurrent } from './list-objects.ts';
import { chooseContainer, type LoggingPod } from './log-endpoint.ts';

export const connecting: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

/** @throws ApiError always: what admission says, 404 without such a Pod, 400 for a container or node it has not, else 501 */
export async function refuseConnection(request: EndpointRequest, pods: StoredResource): Promise<never> {
  const subresource = request.subresource?.name ?? '';
  await admitConnection(request);
  if (request.entry.info.resource === 'pods' && subresource !== 'proxy') await checkPod(request, pods, subresource);
  throw new ApiError({
    code: 501,
    reason: 'NotImplemented',
    message: `${subresource} is not available on this server`,
    details: { ...(request.name === '' ? {} : { name: request.name }), kind: request.entry.info.resource },
  });
}

async function admitConnection(request: EndpointRequest): Promise<void> {
  const { admission } = request.services;
  if (!admission.mutates('CONNECT') && !admission.validates('CONNECT')) return;
  const object = connectOptions(request);
  const attributes = admissionAttributes(request, { operation: 'CONNECT', object, dryRun: false });
  await admission.admit(attributes);
  await admission.validate(attributes);
}

async function checkPod(request: EndpointRequest, pods: StoredResource, subresource: string): Promise<void> {
  const { context, namespace, name } = request;
  await waitForCurrent(pods, context.signal);
  const pod = pods.cache.get(namespace, name)?.object as LoggingPod | undefined;
  if (pod === undefined) throw newNotFound(pods.groupResource, name);
  if (subresource !== 'portforward') chooseContainer(pod, context.query.get('container') ?? undefined);
  if ((pod.spec?.nodeName ?? '') === '') throw newBadRequest(`pod ${name} does not have a host assigned`);
}
