// The plug-in parts of a real server: authentication, authorization, admission, in one composition. Free of sockets, so
// that a cluster in one process and a simulation use the same parts as a listening server.

import { type AdmissionSelection, createAdmissionPlugins } from './admission/plugin-table.ts';
import { type AuthenticationOptions, createAuthentication } from './authentication/create-authentication.ts';
import { type AuthorizationMode, createAuthorization } from './authorization/create-authorization.ts';
import { ensureDefaultPolicy } from './authorization/rbac/ensure-policy.ts';
import type { ServerParts } from './server/api-server-options.ts';
import type { ServerHost } from './server/server-host.ts';

export interface StandardPartsOptions {
  readonly authentication: Omit<AuthenticationOptions, 'externalUrl'>;
  readonly authorizationModes?: readonly AuthorizationMode[];
  readonly admission?: AdmissionSelection;
}

/** Authentication, authorization and admission as a real server has them. */
export function standardParts(host: ServerHost, options: StandardPartsOptions, externalUrl: () => string): ServerParts {
  const authentication = createAuthentication(host, { ...options.authentication, externalUrl });
  const modes = options.authorizationModes;
  const authorization = createAuthorization(host, modes === undefined ? {} : { modes });
  const plugins = createAdmissionPlugins(host, options.admission);
  return {
    authenticator: authentication.authenticator,
    authorizer: authorization.authorizer,
    impersonator: authorization.impersonator,
    admission: authorization.escalationCheck === undefined ? plugins : [...plugins, authorization.escalationCheck],
    routes: authentication.routes,
    virtualResources: [...authentication.virtualResources, ...authorization.virtualResources],
    startHooks:
      authorization.escalationCheck === undefined
        ? []
        : [{ name: 'rbac-bootstrap', run: (signal) => ensurePolicy(host, signal) }],
    close: () => authorization.close(),
  };
}

function ensurePolicy(host: ServerHost, signal: AbortSignal): Promise<void> {
  return ensureDefaultPolicy({
    handle: host.handle,
    signal,
    lookup: ({ resource, object }) =>
      host.reader({ group: 'rbac.authorization.k8s.io', resource }).get(object.metadata?.namespace ?? '', object.metadata?.name ?? ''),
  });
}
