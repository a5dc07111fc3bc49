// What admission plugins may use of the server, and how they know what a request is about.

import { type GroupResource, toGroupResource } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../server/admission.ts';
import type { ServerHost } from '../server/server-host.ts';

export type AdmissionHost = Pick<ServerHost, 'authorizer' | 'env' | 'handle' | 'reader' | 'resources'>;

/** Whether the request is about the resource itself (not a subresource), written as `pods` or `deployments.apps`. */
export function isAbout(attributes: AdmissionAttributes, resource: string): boolean {
  return attributes.subresource === '' && resourceText(attributes.resource) === resource;
}

/** `pods`, `deployments.apps` */
export function resourceText(resource: GroupResource): string {
  return toGroupResource(resource);
}
