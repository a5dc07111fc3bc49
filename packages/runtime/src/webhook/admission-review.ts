// Reading and answering AdmissionReviews. v1 is meant; v1beta1 has the same fields, and is answered as it asks.

import { ApiError, isApiError, type Status } from '@homeostat/base';
import type { UserInfo } from '@homeostat/client';
import {
  asMap,
  encodeBase64,
  encodeJson,
  type GroupVersionKind,
  type GroupVersionResource,
  type Json,
  type JsonMap,
  type JsonPatchOperation,
  type KubeObject,
} from '@homeostat/machinery';
import type { AdmissionOperation, AdmissionRequest } from './admission-request.ts';
import { BadReviewError } from './webhook.ts';

export interface ReadReview {
  readonly apiVersion: string;
  readonly request: AdmissionRequest;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

export interface AdmissionAnswer {
  readonly allowed: boolean;
  readonly status?: Status;
  readonly patch?: readonly JsonPatchOperation[];
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

const versions = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'];
const operations = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

/** @throws BadReviewError naming what is missing or wrong */
export function readAdmissionReview(body: Json): ReadReview {
  const review = mapAt(body, 'the body');
  const kind = textAt(review, 'kind');
  const apiVersion = textAt(review, 'apiVersion');
  if (kind !== 'AdmissionReview' || !versions.includes(apiVersion)) {
    throw new BadReviewError(
      `wanted an AdmissionReview of admission.k8s.io/v1, got kind ${JSON.stringify(kind)} of apiVersion ${JSON.stringify(apiVersion)}`,
    );
  }
  const request = mapAt(review['request'], 'request');
  const uid = textAt(request, 'uid');
  if (uid === '') throw new BadReviewError('request.uid is missing');
  const operation = textAt(request, 'operation');
  if (!operations.includes(operation)) {
    throw new BadReviewError(
      `request.operation must be one of ${operations.join(', ')}, got ${JSON.stringify(operation)}`,
    );
  }
  const kindOfObject = toKind(request['kind'], 'request.kind');
  const resource = toResource(request['resource'], 'request.resource');
  return {
    apiVersion,
    request: {
      uid,
      kind: kindOfObject,
      resource,
      subResource: textAt(request, 'subResource'),
      requestKind: isPresent(request['requestKind'])
        ? toKind(request['requestKind'], 'request.requestKind')
        : kindOfObject,
      requestResource: isPresent(request['requestResource'])
        ? toResource(request['requestResource'], 'request.requestResource')
        : resource,
      name: textAt(request, 'name'),
      namespace: textAt(request, 'namespace'),
      operation: operation as AdmissionOperation,
      userInfo: { username: '', ...asMap(request['userInfo'] ?? null) } as unknown as UserInfo,
      dryRun: request['dryRun'] === true,
      options: asMap(request['options'] ?? null),
    },
    object: objectAt(request, 'object'),
    oldObject: objectAt(request, 'oldObject'),
  };
}

/** The review that answers. */
export function answerReview({ apiVersion, request }: ReadReview, answer: AdmissionAnswer): Json {
  const { allowed, status, patch = [], warnings, annotations } = answer;
  return {
    kind: 'AdmissionReview',
    apiVersion,
    response: {
      uid: request.uid,
      allowed,
      ...(status === undefined ? {} : { status: status as unknown as Json }),
      ...(patch.length === 0 ? {} : { patch: encodeBase64(encodeJson(patch)), patchType: 'JSONPatch' }),
      ...(Object.keys(annotations).length === 0 ? {} : { auditAnnotations: annotations }),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
}

/** A thrown error as the status of a refusal: an ApiError's own, for all others 500 with the message. */
export function refusalOf(error: unknown): Status {
  if (isApiError(error)) return error.toStatus();
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError({ code: 500, reason: 'InternalError', message }).toStatus();
}

function isPresent(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

function mapAt(value: Json | undefined, what: string): JsonMap {
  const map = asMap(value ?? null);
  if (map === undefined) throw new BadReviewError(`${what} must be an object, got ${describe(value)}`);
  return map;
}

function objectAt(request: JsonMap, name: string): KubeObject | undefined {
  const value = request[name];
  return isPresent(value) ? (mapAt(value, `request.${name}`) as KubeObject) : undefined;
}

function textAt(map: JsonMap, name: string): string {
  const value = map[name];
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new BadReviewError(`${name} must be a string, got ${describe(value)}`);
  return value;
}

function toKind(value: Json | undefined, what: string): GroupVersionKind {
  const map = mapAt(value, what);
  return { group: textAt(map, 'group'), version: textAt(map, 'version'), kind: textAt(map, 'kind') };
}

function toResource(value: Json | undefined, what: string): GroupVersionResource {
  const map = mapAt(value, what);
  return { group: textAt(map, 'group'), version: textAt(map, 'version'), resource: textAt(map, 'resource') };
}

function describe(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
