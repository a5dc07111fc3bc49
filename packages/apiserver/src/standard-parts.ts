// The plug-in parts of a real server in one composition: authentication, authorization, admission, discovery, health. Free
// of sockets, so that a cluster in one process and a simulation use the same parts as a listening server.

import { type AdmissionSelection, createAdmissionPlugins } from './admission/plugin-table.ts';
import type { WebhookCaller } from './admission/webhook/webhook-caller.ts';
import { type AuthenticationOptions, createAuthentication } from './authentication/create-authentication.ts';
import { createClientCaTask } from './authentication/publish-client-ca.ts';
import { type AuthorizationMode, createAuthorization } from './authorization/create-authorization.ts';
import { ensureDefaultPolicy } from './authorization/rbac/ensure-policy.ts';
import { createApiServiceTask } from './discovery/api-service-task.ts';
import { createDebugRoutes } from './discovery/debug-routes.ts';
import { createDiscoveryRoutes } from './discovery/discovery-routes.ts';
import { basicChecks, createHealthRoutes, type HealthCheck } from './discovery/health-routes.ts';
import { createMetricsRoutes } from './discovery/metrics-routes.ts';
import { createVersionRoutes } from './discovery/version-route.ts';
import { createFlowSchemaTask } from './flow-control/flow-schema-task.ts';
import { createOpenApiRoutes } from './openapi/openapi-routes.ts';
import type { ServerParts, StartHook } from './server/api-server-options.ts';
import type { ServerHost } from './server/server-host.ts';

export interface StandardPartsOptions extends Omit<AuthenticationOptions, 'externalUrl'> {
  /** `host:port` by which clients reach this server; may be known only once it listens. */
  readonly serverAddress: () => string;
  /** `--authorization-mode`; default Node, RBAC. */
  readonly authorizationModes?: readonly AuthorizationMode[];
  /** `--enable-admission-plugins`, `--disable-admission-plugins`. */
  readonly admission?: AdmissionSelection;
  /** How admission webhooks are reached; without it every call of one fails. Closed with the server. */
  readonly webhookCaller?: WebhookCaller;
  /** PEM of the authorities whose client certificates the port trusts; published for extension API servers. */
  readonly clientCa?: string;
  /** Checks beyond those of the parts themselves. */
  readonly healthChecks?: readonly HealthCheck[];
}

/** Creates everything a real server plugs in; starts nothing. @throws Error for an unknown admission plugin. */
export function createStandardParts(host: ServerHost, options: StandardPartsOptions): ServerParts {
  const { digests, serverAddress, authorizationModes: modes } = options;
  const authentication = createAuthentication(host, { ...options, externalUrl: () => `https://${serverAddress()}` });
  const authorization = createAuthorization(host, modes === undefined ? {} : { modes });
  const plugins = createAdmissionPlugins(host, options.admission, {
    ...(options.webhookCaller === undefined ? {} : { caller: options.webhookCaller }),
  });
  const policy = trackedHook('rbac/bootstrap-roles', (signal) => ensurePolicy(host, signal));
  const hooks = authorization.escalationCheck === undefined ? [] : [policy];
  const checks = [
    ...basicChecks,
    storageCheck(host),
    ...(options.healthChecks ?? []),
    ...hooks.map(({ check }) => check),
  ];
  return {
    authenticator: authentication.authenticator,
    authorizer: authorization.authorizer,
    impersonator: authorization.impersonator,
    admission: authorization.escalationCheck === undefined ? plugins : [...plugins, authorization.escalationCheck],
    routes: [
      ...createDiscoveryRoutes(host, { digests, serverAddress }),
      ...createHealthRoutes(host.env.log, checks),
      ...createVersionRoutes(),
      ...createOpenApiRoutes(host, { digests }),
      ...createMetricsRoutes(host.env.metrics),
      ...createDebugRoutes(),
      ...authentication.routes,
    ],
    virtualResources: [...authentication.virtualResources, ...authorization.virtualResources],
    startHooks: hooks.map(({ hook }) => hook),
    tasks: [
      createApiServiceTask(host),
      createFlowSchemaTask(host),
      ...(options.clientCa === undefined ? [] : [createClientCaTask(host, options.clientCa)]),
    ],
    close: () => {
      authorization.close();
      options.webhookCaller?.close?.();
    },
  };
}

/** A read that has to reach the store; named as clients and monitors know it. */
function storageCheck(host: ServerHost): HealthCheck {
  return {
    name: 'etcd',
    endpoints: ['healthz', 'livez'],
    async check(signal) {
      await host.reader({ group: '', resource: 'namespaces' }).getFresh('', 'default', signal);
      return undefined;
    },
  };
}

interface TrackedHook {
  readonly hook: StartHook;
  /** Well once the hook has run. */
  readonly check: HealthCheck;
}

function trackedHook(name: string, run: (signal: AbortSignal) => Promise<void>): TrackedHook {
  let done = false;
  return {
    hook: {
      name,
      async run(signal) {
        await run(signal);
        done = true;
      },
    },
    check: {
      name: `poststarthook/${name}`,
      endpoints: ['healthz', 'livez', 'readyz'],
      check: () => (done ? undefined : 'not finished'),
    },
  };
}

function ensurePolicy(host: ServerHost, signal: AbortSignal): Promise<void> {
  return ensureDefaultPolicy({
    handle: host.handle,
    signal,
    lookup: ({ resource, object }) =>
      host
        .reader({ group: 'rbac.authorization.k8s.io', resource })
        .get(object.metadata?.namespace ?? '', object.metadata?.name ?? ''),
  });
}
