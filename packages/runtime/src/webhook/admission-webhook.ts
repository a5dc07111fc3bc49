// What validating and mutating webhooks share: the review is read, checked against the resource, handled, answered.

import { isApiError } from '@homeostat/base';
import type { ResourceType } from '@homeostat/client';
import { type GroupVersionKind, type Json, type KubeObject, toApiVersion } from '@homeostat/machinery';
import type { AdmissionOperation, HandlerContext } from './admission-request.ts';
import {
  type AdmissionAnswer,
  answerReview,
  readAdmissionReview,
  type ReadReview,
  refusalOf,
} from './admission-review.ts';
import {
  type AdmissionTarget,
  admissionBodyBytesMax,
  BadReviewError,
  type ReviewContext,
  type Webhook,
} from './webhook.ts';

export interface AdmissionWebhookOptions<T extends KubeObject, O extends AdmissionOperation> {
  /** Whose objects are looked at. */
  readonly resource: ResourceType<T>;
  /** What is looked at; requests of other operations are allowed unseen. Default CREATE and UPDATE. */
  readonly operations?: readonly O[];
  /** `''` (default) is the resource itself; `status` and others are asked for by name. */
  readonly subresources?: readonly string[];
  /** Default as controller-runtime's: `/validate-apps-v1-deployment`, `/mutate--v1-pod`. */
  readonly path?: string;
}

export interface ReviewedObjects {
  readonly operation: AdmissionOperation;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

/** What a handler made of a request: the answer without what was told on the way. */
export type HandlerOutcome = Omit<AdmissionAnswer, 'warnings' | 'annotations'>;

export function createAdmissionWebhook<T extends KubeObject, O extends AdmissionOperation>(
  type: 'validating' | 'mutating',
  options: AdmissionWebhookOptions<T, O>,
  handle: (objects: ReviewedObjects, context: HandlerContext) => Promise<HandlerOutcome>,
): Webhook {
  const { resource, subresources = [''] } = options;
  const operations: readonly AdmissionOperation[] = options.operations ?? ['CREATE', 'UPDATE'];
  const { group, version, resource: plural } = resource;
  const target: AdmissionTarget = { resource: { group, version, resource: plural }, subresources, operations };
  return {
    type,
    path: options.path ?? defaultPath(type, resource),
    target,
    bodyBytesMax: admissionBodyBytesMax,
    review: (body, context) => review(body, context, { resource, target, handle }),
  };
}

/** `/validate-<group>-<version>-<kind>`, dots of the group as dashes, all in lower case. */
export function defaultPath(type: 'validating' | 'mutating', { group, version, kind }: GroupVersionKind): string {
  const verb = type === 'validating' ? 'validate' : 'mutate';
  return `/${verb}-${group.replaceAll('.', '-')}-${version}-${kind.toLowerCase()}`;
}

interface Reviewing {
  readonly resource: GroupVersionKind;
  readonly target: AdmissionTarget;
  handle(objects: ReviewedObjects, context: HandlerContext): Promise<HandlerOutcome>;
}

async function review(
  body: Json,
  { signal, onFailure }: ReviewContext,
  { resource, target, handle }: Reviewing,
): Promise<Json> {
  const read = readAdmissionReview(body);
  const { request, object, oldObject } = read;
  const warnings: string[] = [];
  const annotations: Record<string, string> = {};
  const answer = (outcome: HandlerOutcome): Json => answerReview(read, { ...outcome, warnings, annotations });
  if (!target.operations.includes(request.operation)) return answer({ allowed: true });
  checkKind(read, resource);
  const context: HandlerContext = {
    request,
    signal,
    warn: (text) => void warnings.push(text),
    annotate: (key, value) => void (annotations[key] = value),
  };
  try {
    return answer(await handle({ operation: request.operation, object, oldObject }, context));
  } catch (error) {
    const status = refusalOf(error);
    if (!isApiError(error)) onFailure(error);
    return answer({ allowed: false, status });
  }
}

/** A handler is typed for one kind; what else arrives is a mistake in the webhook configuration. @throws BadReviewError */
function checkKind({ request, object, oldObject }: ReadReview, wanted: GroupVersionKind): void {
  const { kind, operation } = request;
  // Connections have kinds of their own (PodExecOptions), as some subresources do (Scale).
  const isOwn = operation !== 'CONNECT' && request.subResource === '';
  if (isOwn && (kind.kind !== wanted.kind || kind.group !== wanted.group || kind.version !== wanted.version)) {
    throw new BadReviewError(
      `this webhook is for ${toApiVersion(wanted)} ${wanted.kind}, got ${toApiVersion(kind)} ${kind.kind}: check the rules and matchPolicy of the webhook configuration`,
    );
  }
  if (operation !== 'DELETE' && object === undefined)
    throw new BadReviewError(`request.object is missing in a ${operation}`);
  const needsOld = operation === 'UPDATE' || operation === 'DELETE';
  if (needsOld && oldObject === undefined) throw new BadReviewError(`request.oldObject is missing in a ${operation}`);
}
