// The 403 of a refused request in upstream's exact words (spec/apiserver.md §3, §17).

import type { ApiError } from '@homeostat/base';
import { newForbidden, quote } from '@homeostat/machinery';
import type { AuthorizationAttributes } from '../server/authorizer.ts';

/** `pods "a" is forbidden: User "jane" cannot get resource "pods" in API group "" in the namespace "x": reason` */
export function newAuthorizationForbidden(attributes: AuthorizationAttributes, reason = ''): ApiError {
  const message = forbiddenMessage(attributes);
  return newForbidden(
    { group: attributes.group, resource: attributes.resource },
    attributes.name,
    reason === '' ? message : `${message}: ${reason}`,
  );
}

function forbiddenMessage(attributes: AuthorizationAttributes): string {
  const { user, verb, path, resource, subresource, group, namespace } = attributes;
  const who = `User ${quote(user.username)} cannot ${verb}`;
  if (!attributes.isResourceRequest) return `${who} path ${quote(path)}`;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(namespace)}`;
  return `${who} resource ${quote(what)} in API group ${quote(group)} ${where}`;
}
