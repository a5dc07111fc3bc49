// AdmissionReview, v1 and v1beta1: the request as webhooks read it, and the checks upstream makes of their answers
// (spec/apiserver.md §15.3).

import { schemaOf } from '@homeostat/api';
import type { Status } from '@homeostat/base';
import { decodeObject, type Json, type KubeObject } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { MatchedResource } from './match-resource.ts';
import { reviewSchema } from './review-schema.ts';
import { requestNamespace } from './request-namespace.ts';
import type { Invocation } from './select-webhook.ts';
import { isSameKind, type VersionedObjects } from './versioned-objects.ts';

export type ReviewVersion = 'v1' | 'v1beta1';

const group = 'admission.k8s.io';

/** What a webhook decided. */
export interface Verdict {
  readonly allowed: boolean;
  /** JSON patch, base64; empty when there is none. */
  readonly patch: string;
  readonly patchType: string;
  readonly status: Partial<Status> | undefined;
  readonly auditAnnotations: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

interface Response {
  readonly uid?: string;
  readonly allowed?: boolean;
  readonly status?: Partial<Status>;
  readonly patch?: string;
  readonly patchType?: string;
  readonly auditAnnotations?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
}

interface Review {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly response?: Response;
}

/** The first version the webhook lists that this server speaks. @throws Error when there is none */
export function reviewVersionOf(versions: readonly string[]): ReviewVersion {
  const known = versions.find((version): version is ReviewVersion => version === 'v1' || version === 'v1beta1');
  if (known === undefined) throw new Error('webhook does not accept known AdmissionReview versions (v1, v1beta1)');
  return known;
}

/** The request without its uid and objects. */
export function describeRequest(
  attributes: AdmissionAttributes,
  { kind, resource }: MatchedResource,
): Readonly<Record<string, unknown>> {
  const { subresource, operation, user, dryRun, options } = attributes;
  const namespace = requestNamespace(attributes);
  return {
    kind: kindText(kind),
    resource: resourceText(resource),
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: kindText(attributes.kind),
    requestResource: resourceText(attributes.resource),
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(attributes.name === '' ? {} : { name: attributes.name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: {
      ...(user.username === '' ? {} : { username: user.username }),
      ...(user.uid === '' ? {} : { uid: user.uid }),
      ...(user.groups.length === 0 ? {} : { groups: user.groups }),
      ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
    },
    dryRun,
    options: options ?? null,
  };
}

/** The whole AdmissionReview to send. @throws ApiError 500 when an object can't be shown in the version asked for */
export function createReview(
  attributes: AdmissionAttributes,
  invocation: Invocation,
  {
    uid,
    version,
    objects,
  }: { readonly uid: string; readonly version: ReviewVersion; readonly objects: VersionedObjects },
): KubeObject {
  const { dryRun, options, ...described } = describeRequest(attributes, invocation);
  const review = {
    kind: 'AdmissionReview',
    apiVersion: `${group}/${version}`,
    request: {
      uid,
      ...described,
      object: objects.object(invocation.kind) ?? null,
      oldObject: objects.oldObject(invocation.kind) ?? null,
      dryRun,
      options,
    },
  };
  return review as KubeObject;
}

/** Reads an answer's document into the review's type. @throws Error with upstream's text */
export function readReview(document: Json, version: ReviewVersion): Review {
  const review = decodeObject<Review>(document, reviewSchema(schemaOf({ group: '', version: 'v1', kind: 'Status' })));
  const { kind = '', apiVersion = '' } = review;
  if (kind === '' && apiVersion === '') return review;
  const wanted = `${group}/${version}`;
  if (kind !== 'AdmissionReview' && kind !== '') {
    throw new Error(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion === '' ? wanted : apiVersion)}`,
    );
  }
  if (apiVersion !== wanted && (apiVersion === `${group}/v1` || apiVersion === `${group}/v1beta1`)) {
    const other = apiVersion.slice(group.length + 1);
    throw new Error(`converting (${other}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`);
  }
  return review;
}

/** @throws Error with upstream's text for an answer that says nothing valid */
export function readVerdict(
  review: Review,
  wanted: { readonly uid: string; readonly version: ReviewVersion; readonly mutating: boolean },
): Verdict {
  const { response } = review;
  if (response === undefined) throw new Error('webhook response was absent');
  const patch = response.patch ?? '';
  // The older version was never checked as strictly.
  if (wanted.version === 'v1') checkV1(review, response, wanted);
  const patchType = wanted.version === 'v1' ? (response.patchType ?? '') : patch === '' ? '' : 'JSONPatch';
  return {
    allowed: response.allowed ?? false,
    patch: wanted.mutating ? patch : '',
    patchType: wanted.mutating ? patchType : '',
    status: response.status,
    auditAnnotations: response.auditAnnotations ?? {},
    warnings: response.warnings ?? [],
  };
}

function checkV1(
  { kind = '', apiVersion = '' }: Review,
  { uid = '', patch = '', patchType }: Response,
  wanted: { readonly uid: string; readonly mutating: boolean },
): void {
  if (uid !== wanted.uid) {
    throw new Error(`expected response.uid=${JSON.stringify(wanted.uid)}, got ${JSON.stringify(uid)}`);
  }
  const expected = { group, version: 'v1', kind: 'AdmissionReview' };
  const actual = { ...splitVersion(apiVersion), kind };
  if (!isSameKind(actual, expected)) {
    throw new Error(`expected webhook response of ${gvkText(expected)}, got ${gvkText(actual)}`);
  }
  if (!wanted.mutating) {
    if (patch !== '') throw new Error('validating webhook may not return response.patch');
    if (patchType !== undefined) throw new Error('validating webhook may not return response.patchType');
    return;
  }
  if (patch !== '' && patchType === undefined)
    throw new Error('webhook returned response.patch but not response.patchType');
  if (patch === '' && patchType !== undefined)
    throw new Error('webhook returned response.patchType but not response.patch');
  if (patchType === '') throw new Error('webhook returned invalid response.patchType of ""');
}

/** Go's way of showing a kind; absent parts show as nothing. */
function gvkText({ group: g, version, kind }: { group: string; version: string; kind: string }): string {
  return `${g}/${version}, Kind=${kind}`;
}

function splitVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.lastIndexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

function kindText({ group: g, version, kind }: Invocation['kind']): object {
  return { group: g, version, kind };
}

function resourceText({ group: g, version, resource }: Invocation['resource']): object {
  return { group: g, version, resource };
}
