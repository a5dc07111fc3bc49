// What admission plugins may use of the server, and how they know what a request is about.

import { type GroupResource, toGroupResource } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../server/admission.ts';
import type { ServerHost } from '../server/server-host.ts';
import { loopbackUser } from '../server/user.ts';

export type AdmissionHost = Pick<ServerHost, 'authorizer' | 'env' | 'handle' | 'isStarting' | 'reader' | 'resources'>;

/** Whether the request is about the resource itself (not a subresource), written as `pods` or `deployments.apps`. */
export function isAbout(attributes: AdmissionAttributes, resource: string): boolean {
  return attributes.subresource === '' && resourceText(attributes.resource) === resource;
}

/**
 * What the server makes at its start is not for users' webhooks and policies to refuse: webhooks may run in the cluster that
 * is to be started, and nobody could mend them before it is.
 */
export function isOwnStart(host: AdmissionHost, { user }: AdmissionAttributes): boolean {
  return host.isStarting && user.username === loopbackUser.username;
}

/** `pods`, `deployments.apps` */
export function resourceText(resource: GroupResource): string {
  return toGroupResource(resource);
}
