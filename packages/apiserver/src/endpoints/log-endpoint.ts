// GET of a Pod's log (spec/apiserver.md §12.9): checks the options, picks the container, streams what the node sends.

import type { ApiError } from '@homeostat/base';
import type { ApiResponse } from '@homeostat/client';
import {
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  type KubeObject,
  newBadRequest,
  newInternalError,
  newInvalid,
  newNotFound,
} from '@homeostat/machinery';
import type { StoredResource } from '../registry/stored-resource.ts';
import type { PodLogOptions, PodLogs } from '../server/api-server-options.ts';
import type { EndpointRequest } from './endpoint-request.ts';
import { waitForCurrent } from './list-objects.ts';
import { queryBool, queryInt } from './query-values.ts';

/** What of a Pod says where its containers are. */
export interface LoggingPod extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly { readonly name: string }[];
    readonly initContainers?: readonly { readonly name: string }[];
    readonly ephemeralContainers?: readonly { readonly name: string }[];
  };
}

export async function handleLog(
  request: EndpointRequest,
  pods: StoredResource,
  podLogs: PodLogs | undefined,
): Promise<ApiResponse> {
  const { context, namespace, name } = request;
  const options = decodeLogOptions(context.query);
  await waitForCurrent(pods, context.signal);
  const pod = pods.cache.get(namespace, name)?.object as LoggingPod | undefined;
  if (pod === undefined) throw newNotFound(pods.groupResource, name);
  const container = chooseContainer(pod, options.container);
  if ((pod.spec?.nodeName ?? '') === '') return { status: 204, headers: {}, body: { kind: 'empty' } };
  if (podLogs === undefined) throw unreachable(pod);
  const chunks = await podLogs(pod, { ...options, container }, context.signal);
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: { kind: 'stream', chunks } };
}

/** @throws ApiError 400 for values that can't be read, 422 for options that make no sense */
function decodeLogOptions(query: URLSearchParams): PodLogOptions {
  const text = (name: string): string | undefined => query.get(name) ?? undefined;
  const options = {
    container: text('container'),
    follow: queryBool(query, 'follow'),
    previous: queryBool(query, 'previous'),
    sinceSeconds: queryInt(query, 'sinceSeconds'),
    sinceTime: text('sinceTime'),
    timestamps: queryBool(query, 'timestamps'),
    tailLines: queryInt(query, 'tailLines'),
    limitBytes: queryInt(query, 'limitBytes'),
    stream: text('stream'),
  };
  const errors: FieldError[] = [];
  const { tailLines, limitBytes, sinceSeconds, sinceTime } = options;
  if (tailLines !== undefined && tailLines < 0)
    errors.push(invalid(new FieldPath('tailLines'), tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(invalid(new FieldPath('limitBytes'), limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.push(forbidden(new FieldPath(''), 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(invalid(new FieldPath('sinceSeconds'), sinceSeconds, 'must be greater than 0'));
  }
  if (errors.length > 0) throw newInvalid({ group: '', kind: 'PodLogOptions' }, '', errors);
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as PodLogOptions;
}

/** The container that is meant. @throws ApiError 400 when it does not exist or none is named */
export function chooseContainer(pod: LoggingPod, wanted: string | undefined): string {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const name = pod.metadata?.name ?? '';
  if (wanted !== undefined && wanted !== '') {
    const known = [...containers, ...initContainers, ...ephemeralContainers].some(
      (container) => container.name === wanted,
    );
    if (!known) throw newBadRequest(`container ${wanted} is not valid for pod ${name}`);
    return wanted;
  }
  const names = (list: readonly { readonly name: string }[]): string =>
    list.map((container) => container.name).join(' ');
  if (containers.length === 1) return containers[0]?.name ?? '';
  if (containers.length === 0) throw newBadRequest(`a container name must be specified for pod ${name}`);
  const init = initContainers.length === 0 ? '' : ` or one of the init containers: [${names(initContainers)}]`;
  throw newBadRequest(
    `a container name must be specified for pod ${name}, choose one of: [${names(containers)}]${init}`,
  );
}

/** What upstream says when it can't reach the node a Pod is on. */
function unreachable(pod: LoggingPod): ApiError {
  const node = pod.spec?.nodeName ?? '';
  return newInternalError(`no preferred addresses found; known addresses: [] (node ${node})`);
}
