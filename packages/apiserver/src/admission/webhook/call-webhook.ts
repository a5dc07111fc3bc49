// One call of one webhook: dry-run rule, review, POST within the timeout, answer read and checked. The outcome is data:
// what a failure means is for the caller's failure policy (spec/apiserver.md §15.3).

import { abortable, ApiError } from '@homeostat/base';
import { decodeError } from '@homeostat/client';
import { decodeJson, encodeJson, newBadRequest } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { AdmissionHost } from '../admission-host.ts';
import {
  createReview,
  readReview,
  readVerdict,
  type ReviewVersion,
  reviewVersionOf,
  type Verdict,
} from './admission-review.ts';
import { deniedBy } from './denied.ts';
import type { Invocation } from './select-webhook.ts';
import type { VersionedObjects } from './versioned-objects.ts';
import { addressOf, type WebhookAddress } from './webhook-address.ts';
import type { WebhookAnswer, WebhookCaller } from './webhook-caller.ts';

export type CallOutcome =
  | { readonly type: 'allowed'; readonly verdict: Verdict }
  | { readonly type: 'denied'; readonly error: ApiError }
  /** The webhook gave no valid answer. `code` is what metrics show; `text` is upstream's. */
  | { readonly type: 'failed'; readonly code: number; readonly text: string };

export interface CallContext {
  readonly host: AdmissionHost;
  readonly caller: WebhookCaller;
  readonly attributes: AdmissionAttributes;
  readonly objects: VersionedObjects;
  readonly mutating: boolean;
}

const retriesMax = 10;

/** @throws ApiError 400 when the webhook must not be called in a dry run, 500 for objects that can't be shown */
export async function callWebhook(invocation: Invocation, context: CallContext): Promise<CallOutcome> {
  const { webhook } = invocation;
  const { attributes, host, objects, mutating } = context;
  const { sideEffects } = webhook.spec;
  if (attributes.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun')
    throw newBadRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
  let version: ReviewVersion;
  try {
    version = reviewVersionOf(webhook.spec.admissionReviewVersions);
  } catch (error) {
    return failed(400, `could not create admission objects: ${textOf(error)}`);
  }
  const uid = host.env.random.uuid();
  const review = createReview(attributes, invocation, { uid, version, objects });
  let answer: WebhookAnswer;
  try {
    answer = await post(invocation, encodeJson(review), context);
  } catch (error) {
    return failed(503, `failed to call webhook: ${textOf(error)}`);
  }
  let read;
  try {
    read = await readAnswer(answer, version);
  } catch (error) {
    return failed(error instanceof ApiError ? error.code : 503, `failed to call webhook: ${textOf(error)}`);
  }
  let verdict: Verdict;
  try {
    verdict = readVerdict(read, { uid, version, mutating });
  } catch (error) {
    return failed(503, `received invalid webhook response: ${textOf(error)}`);
  }
  if (verdict.allowed && verdict.patch !== '' && verdict.patchType !== 'JSONPatch')
    return failed(400, `unsupported patch type ${JSON.stringify(verdict.patchType)}`);
  for (const [key, value] of Object.entries(verdict.auditAnnotations))
    attributes.addAnnotation(`${webhook.name}/${key}`, value);
  for (const warning of verdict.warnings) attributes.addWarning(warning);
  if (!verdict.allowed) return { type: 'denied', error: deniedBy(webhook.name, verdict.status) };
  return { type: 'allowed', verdict };
}

function failed(code: number, text: string): CallOutcome {
  return { type: 'failed', code, text };
}

/** @throws Error `Post "<url>": <why>` */
async function post(
  { webhook }: Invocation,
  body: Uint8Array,
  { host, caller, attributes }: CallContext,
): Promise<WebhookAnswer> {
  const { clock } = host.env;
  const address = addressOf(webhook.spec.clientConfig, host);
  const url = `${address.url}?timeout=${webhook.timeoutMs / 1000}s`;
  const timeout = new AbortController();
  const timer = clock.setTimer(webhook.timeoutMs, () => timeout.abort(new Error('context deadline exceeded')));
  const signal = AbortSignal.any([attributes.signal, timeout.signal]);
  const send = (): Promise<WebhookAnswer> => abortable(sendOnce(address, { url, body, signal }), signal);
  const sendOnce = async (
    { serverName, resolve }: WebhookAddress,
    call: { readonly url: string; readonly body: Uint8Array; readonly signal: AbortSignal },
  ): Promise<WebhookAnswer> =>
    caller.call({
      ...call,
      ...(resolve === undefined ? {} : { connectTo: resolve }),
      ...(serverName === undefined ? {} : { serverName }),
      ...(webhook.caBundle === undefined ? {} : { caBundle: webhook.caBundle }),
    });
  try {
    for (let attempt = 0; ; attempt++) {
      const answer = await send();
      const waitMs = retryAfterMs(answer);
      if (waitMs === undefined || attempt >= retriesMax) return answer;
      await clock.sleep(waitMs, signal);
    }
  } catch (error) {
    const why = timeout.signal.aborted
      ? 'context deadline exceeded'
      : attributes.signal.aborted
        ? 'context canceled'
        : textOf(error);
    throw new Error(`Post ${JSON.stringify(url)}: ${why}`, { cause: error });
  } finally {
    timer.cancel();
  }
}

/** A webhook that is busy may say when to come back. */
function retryAfterMs({ status, headers }: WebhookAnswer): number | undefined {
  const header = headers['retry-after'] ?? '';
  return (status === 429 || status >= 500) && /^\d+$/.test(header) ? Number(header) * 1000 : undefined;
}

/** @throws Error, ApiError with the text upstream's client has for the answer */
async function readAnswer(answer: WebhookAnswer, version: ReviewVersion): Promise<ReturnType<typeof readReview>> {
  const { status, headers, body } = answer;
  if (status < 200 || status > 206) {
    throw await decodeError({ status, headers, body: { kind: 'bytes', chunks: [body] } }, { method: 'POST' });
  }
  if (body.length === 0) {
    const type = headers['content-type'] ?? '';
    throw new Error(`0-length response with status code: ${status} and content type: ${type}`);
  }
  let document;
  try {
    document = decodeJson(body);
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${textOf(error)}`, { cause: error });
  }
  return readReview(document, version);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
