// Where a webhook is: its URL, or a Service in the cluster. There may be no data plane that makes a Service's address
// answer, so its ready endpoints are dialled themselves; the URL and the certificate keep the Service's name.

import type { Service, ServicePort } from '@homeostat/api/types/core-v1';
import type { EndpointSlice } from '@homeostat/api/types/discovery-v1';
import type { WebhookClientConfig } from '@homeostat/api/types/admissionregistration-v1';
import type { Random } from '@homeostat/base';
import { newNotFound } from '@homeostat/machinery';
import type { AdmissionHost } from '../admission-host.ts';

export interface WebhookAddress {
  /** Without query. */
  readonly url: string;
  readonly serverName?: string;
  /** `host:port` to connect to. @throws Error when no endpoint is ready */
  readonly resolve?: () => string;
}

const serviceLabel = 'kubernetes.io/service-name';

export function addressOf(client: WebhookClientConfig, host: AdmissionHost): WebhookAddress {
  const { service } = client;
  if (service === undefined) return { url: withPath(client.url ?? '') };
  const { namespace, name, path = '', port = 443 } = service;
  const serverName = `${name}.${namespace}.svc`;
  return {
    url: `https://${serverName}:${port}/${path.replace(/^\//, '')}`,
    serverName,
    resolve: () => resolveService({ namespace, name, port }, host),
  };
}

/** A URL without a path asks for the root. */
function withPath(url: string): string {
  const parsed = new URL(url);
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}

interface ServiceAddress {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

function resolveService({ namespace, name, port }: ServiceAddress, host: AdmissionHost): string {
  const services = { group: '', resource: 'services' };
  const service = host.reader(services).get(namespace, name) as Service | undefined;
  if (service === undefined) throw newNotFound(services, name);
  const { type, externalName = '', ports = [] } = service.spec ?? {};
  if (type === 'ExternalName') return `${externalName}:${port}`;
  const servicePort = ports.find((candidate) => candidate.port === port);
  if (servicePort === undefined) throw new Error(`no service port ${port} found for service "${name}"`);
  const endpoints = readyEndpoints(servicePort, { namespace, name, port }, host);
  const chosen = pick(endpoints, host.env.random);
  if (chosen === undefined) throw new Error(`no endpoints available for service "${name}"`);
  return chosen;
}

function readyEndpoints(
  servicePort: ServicePort,
  { namespace, name }: ServiceAddress,
  host: AdmissionHost,
): readonly string[] {
  const slices = host.reader({ group: 'discovery.k8s.io', resource: 'endpointslices' }).list(namespace);
  return (slices as readonly EndpointSlice[])
    .filter(({ metadata }) => metadata?.labels?.[serviceLabel] === name)
    .flatMap(({ endpoints = [], ports = [], addressType }) => {
      const port = ports?.find((candidate) => (candidate.name ?? '') === (servicePort.name ?? ''))?.port;
      if (port === undefined) return [];
      return (endpoints ?? [])
        .filter(({ conditions }) => conditions?.ready !== false)
        .flatMap(({ addresses }) => addresses.slice(0, 1))
        .map((address) => (addressType === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`));
    });
}

function pick<T>(items: readonly T[], random: Random): T | undefined {
  return items.length === 0 ? undefined : items[random.int(items.length)];
}
