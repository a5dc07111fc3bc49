// Issues certificates into Secrets and renews them in time: nothing polls, the plan says when to look again. It is a controller in
// three parts, so what it would do can be printed and tested without a cluster.

import type { Secret } from '@homeostat/api/types/core-v1';
import { secrets } from '@homeostat/client/resources';
import {
  type Action,
  controllerFor,
  controllerReference,
  emptyPlan,
  type Plan,
  type PlanController,
  setCondition,
} from '@homeostat/runtime';
import { type Certificate, certificates } from './api.ts';

/** Makes key pairs; a real one asks an authority. PEM texts. */
export interface Issuer {
  issue(request: { readonly dnsNames: readonly string[]; readonly notAfterMs: number }): {
    readonly certificate: string;
    readonly key: string;
  };
}

const notAfterAnnotation = 'certs.example.com/not-after';
const namesAnnotation = 'certs.example.com/dns-names';

interface Observed {
  readonly certificate: Certificate;
  readonly secret: Secret | undefined;
}

export function certificateController(issuer: Issuer): PlanController<Observed> {
  return controllerFor('certificates', certificates.resource)
    .owns(secrets)
    .plan({
      observe(key, caches) {
        const certificate = caches.lister(certificates.resource).getByKey(key);
        if (certificate === undefined || certificate.metadata?.deletionTimestamp !== undefined) return undefined;
        const secret = caches.lister(secrets).get(certificate.metadata?.namespace, certificate.spec.secretName);
        return { certificate, secret };
      },
      diff: (observed, now) => plan(observed, issuer, now),
    });
}

function plan({ certificate, secret }: Observed, issuer: Issuer, now: number): Plan {
  const { uid } = certificate.metadata ?? {};
  const owner = secret?.metadata?.ownerReferences?.find(({ controller }) => controller === true);
  if (secret !== undefined && owner?.uid !== uid) {
    return { steps: [{ actions: status(certificate, now, { ready: false, reason: 'SecretTaken' }) }] };
  }
  const { durationSeconds, renewBeforeSeconds, dnsNames } = certificate.spec;
  const notAfterMs = Date.parse(secret?.metadata?.annotations?.[notAfterAnnotation] ?? '');
  const renewalMs = notAfterMs - renewBeforeSeconds * 1000;
  const sameNames = secret?.metadata?.annotations?.[namesAnnotation] === dnsNames.join(',');
  const reason =
    secret === undefined ? 'SecretMissing' : !sameNames ? 'NamesDiffer' : now < renewalMs ? undefined : 'RenewalDue';
  if (reason !== undefined)
    return issue({ certificate, secret }, issuer, { reason, notAfterMs: now + durationSeconds * 1000 });
  const actions = status(certificate, now, { ready: true, reason: 'Issued', notAfterMs, renewalMs });
  return { ...(actions.length === 0 ? emptyPlan : { steps: [{ actions }] }), requeueAfterMs: renewalMs - now };
}

function issue(
  { certificate, secret }: Observed,
  issuer: Issuer,
  { reason, notAfterMs }: { readonly reason: string; readonly notAfterMs: number },
): Plan {
  const { namespace = '', name = '' } = certificate.metadata ?? {};
  const { dnsNames, secretName } = certificate.spec;
  const pair = issuer.issue({ dnsNames, notAfterMs });
  const object: Secret = {
    ...secret,
    metadata: {
      ...secret?.metadata,
      name: secretName,
      namespace,
      annotations: { [notAfterAnnotation]: new Date(notAfterMs).toISOString(), [namesAnnotation]: dnsNames.join(',') },
      ownerReferences: [controllerReference(certificate, certificates.resource)],
    },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': btoa(pair.certificate), 'tls.key': btoa(pair.key) },
  };
  const facts = { names: dnsNames.length };
  const told: Action = {
    verb: 'event',
    regarding: certificate,
    event: { type: 'Normal', reason: 'Issuing', message: `Issued ${name} into secret ${secretName}: ${reason}` },
    reason,
    facts,
  };
  const target = { resource: secrets, namespace, object, reason, facts, announce: () => [told] } as const;
  const write: Action =
    secret === undefined ? { verb: 'create', ...target } : { verb: 'update', name: secretName, ...target };
  return { steps: [{ actions: [write] }] };
}

interface Verdict {
  readonly ready: boolean;
  readonly reason: string;
  readonly notAfterMs?: number;
  readonly renewalMs?: number;
}

/** The status action, or none when the status says so already. */
function status(
  certificate: Certificate,
  now: number,
  { ready, reason, notAfterMs, renewalMs }: Verdict,
): readonly Action[] {
  const { metadata, status: current } = certificate;
  const condition = { type: 'Ready', status: ready ? ('True' as const) : ('False' as const), reason };
  const conditions = setCondition(current?.conditions, condition, now);
  const times =
    notAfterMs === undefined || renewalMs === undefined
      ? {}
      : { notAfter: seconds(notAfterMs), renewalTime: seconds(renewalMs) };
  if (conditions === current?.conditions && (times.notAfter ?? current.notAfter) === current.notAfter) return [];
  const revision =
    (current?.revision ?? 0) + (times.notAfter === undefined || times.notAfter === current?.notAfter ? 0 : 1);
  const object: Certificate = { ...certificate, status: { ...current, ...times, revision, conditions } };
  const { namespace = '', name = '' } = metadata ?? {};
  return [
    {
      verb: 'status',
      resource: certificates.resource,
      namespace,
      name,
      object,
      reason: 'StatusOutdated',
      facts: { ready },
    },
  ];
}

function seconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
