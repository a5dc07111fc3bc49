// What the webhook server serves: a path and a function from review to review. Made by `createValidatingWebhook`,
// `createMutatingWebhook` and `createConversionWebhook`.

import type { Env } from '@homeostat/base';
import type { GroupVersionResource, Json } from '@homeostat/machinery';
import type { AdmissionOperation } from './admission-request.ts';

export interface ReviewContext {
  readonly env: Env;
  readonly signal: AbortSignal;
  /** Told what a handler threw that it did not foresee; the answer says it too. */
  onFailure(error: unknown): void;
}

/** Which requests a webhook is for; configurations are made of it. */
export interface AdmissionTarget {
  readonly resource: GroupVersionResource;
  /** `''` is the resource itself. */
  readonly subresources: readonly string[];
  readonly operations: readonly AdmissionOperation[];
}

export interface Webhook {
  readonly type: 'validating' | 'mutating' | 'conversion';
  /** Begins with a slash; one webhook a path. */
  readonly path: string;
  /** Absent for conversions. */
  readonly target?: AdmissionTarget;
  /** Longest body that is read, bytes. */
  readonly bodyBytesMax: number;
  /** The answering review. @throws BadReviewError for a body that is no such review */
  review(body: Json, context: ReviewContext): Promise<Json>;
}

/** A body that is not what the webhook answers: told to the API server in words, with status 400. */
export class BadReviewError extends Error {
  override readonly name = 'BadReviewError';
}

/** As long as upstream's server reads: an object, its old version and what is around them. */
export const admissionBodyBytesMax = 7 * 1024 * 1024;
