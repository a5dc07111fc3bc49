// WATCH: negotiation, start position, then a stream of frames until the time is up, the client leaves, or the cache gives
// up on it (spec/apiserver.md §6).

import { type ApiError, type Clock, isApiError } from '@homeostat/base';
import type { ApiResponse } from '@homeostat/client';
import { newBadRequest, newMethodNotSupported, type WatchEvent } from '@homeostat/machinery';
import type { StoredResource } from '../registry/stored-resource.ts';
import { isWebSocketRequest, serveMessages } from '../server/serve-messages.ts';
import type { WatchItem } from '../watch-cache/cache-event.ts';
import type { EndpointRequest } from './endpoint-request.ts';
import { predicateOf } from './list-endpoint.ts';
import { decodeListOptions, type ListOptions } from './list-options.ts';
import { negotiateOutput, notAcceptable } from './output.ts';
import { watchFrames, watchObjects } from './watch-frames.ts';
import { type StartedWatch, startWatch } from './watch-start.ts';

export interface WatchLimits {
  /** Shortest length of a watch that names none; it lasts a random time up to twice that. */
  readonly minRequestTimeoutMs: number;
}

const bookmarkEveryMs = 60_000;
const bookmarkBeforeEndMs = 2_000;
const streamingTypes = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
/** Frames are joined into writes of about this size while a backlog is sent. */
const batchBytes = 64 * 1024;
/** Initial events are made in groups, so that thousands of them do not hold up everybody else. */
const initialBatch = 50;

export async function handleWatch(request: EndpointRequest, limits: WatchLimits): Promise<ApiResponse> {
  const { context, entry, services } = request;
  const options = decodeListOptions(context.query, true);
  const selected = predicateOf(request, options.labelSelector, options.fieldSelector);
  if (request.name !== '' && selected.name !== '' && request.name !== selected.name) {
    throw newBadRequest("fieldSelector metadata.name doesn't match requested name");
  }
  const predicate = request.name === '' ? selected : { ...selected, name: request.name };
  const resource = entry.stored;
  if (resource === undefined || !entry.info.verbs.includes('watch')) throw newMethodNotSupported(entry.info, 'watch');
  const output = negotiateOutput(request);
  if (output.media.type === 'application/yaml') throw notAcceptable(streamingTypes);
  const lengthMs = watchLengthMs(options, limits, services.env.random.float());
  let started: StartedWatch | ApiError;
  try {
    started = await startWatch(resource, options, predicate, context.signal);
  } catch (error) {
    // These belong into the stream; everything else is an ordinary answer.
    if (!isApiError(error, 'Expired', 'Timeout')) throw error;
    started = error;
  }
  const stream: Stream = { resource, options, lengthMs, clock: services.env.clock, signal: context.signal };
  if (context.request.wants === 'object') {
    const forms = watchObjects(request);
    return { status: 200, headers: {}, body: { kind: 'watch', events: objectEvents(stream, started, forms) } };
  }
  const frames = watchFrames(request, output);
  if (isWebSocketRequest(context.request)) {
    const kind = frames.contentType === 'application/json' ? 'text' : 'binary';
    return serveMessages(context.request, { kind, messages: single(formedEvents(stream, started, frames), kind) });
  }
  return {
    status: 200,
    headers: { 'content-type': frames.contentType },
    body: { kind: 'stream', chunks: joined(formedEvents(stream, started, frames)) },
  };
}

function watchLengthMs(options: ListOptions, limits: WatchLimits, random: number): number {
  const asked = options.timeoutSeconds ?? 0;
  return asked > 0 ? asked * 1000 : limits.minRequestTimeoutMs * (1 + random);
}

interface Stream {
  readonly resource: StoredResource;
  readonly options: ListOptions;
  readonly lengthMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

interface Forms<T> {
  item(item: WatchItem): T;
  bookmark(revision: number, initialEnd: boolean): T;
  error(error: ApiError): T;
}

/** Batches of events in the form asked for; an empty batch is the moment to flush the headers. */
async function* formedEvents<T>(
  stream: Stream,
  started: StartedWatch | ApiError,
  forms: Forms<T>,
): AsyncGenerator<readonly T[]> {
  if (isApiError(started)) {
    yield [forms.error(started)];
    return;
  }
  const { watcher, revision } = started;
  const { clock, signal } = stream;
  const bookmarks = stream.options.allowWatchBookmarks;
  const endMs = clock.monotonicMs() + stream.lengthMs;
  let nextBookmarkMs = bookmarks ? nextBookmark(clock.monotonicMs(), endMs) : Number.POSITIVE_INFINITY;
  let sentRevision = revision;
  const onAbort = (): void => watcher.close();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    for (let at = 0; at < started.initial.length; at += initialBatch) {
      const batch = started.initial.slice(at, at + initialBatch);
      yield batch.map((version) => forms.item({ type: 'ADDED', version, revision: version.revision }));
      if (watcher.closed) return;
    }
    if (started.marksEnd) yield [forms.bookmark(revision, true)];
    while (!watcher.closed) {
      const items = watcher.take().filter((item) => item.revision > revision);
      if (items.length > 0) {
        sentRevision = items.at(-1)?.revision ?? sentRevision;
        yield items.map((item) => forms.item(item));
        continue;
      }
      const nowMs = clock.monotonicMs();
      if (nowMs >= endMs) return;
      if (nowMs >= nextBookmarkMs) {
        // Nothing is queued, so everything up to the hub's revision was seen.
        sentRevision = Math.max(sentRevision, stream.resource.hub.revision);
        nextBookmarkMs = nextBookmark(nowMs, endMs);
        yield [forms.bookmark(sentRevision, false)];
        continue;
      }
      const timer = clock.setTimer(Math.min(endMs, nextBookmarkMs) - nowMs, () => watcher.poke());
      await watcher.wait();
      timer.cancel();
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    watcher.close();
  }
}

/** About once a minute, and once shortly before the end. */
function nextBookmark(nowMs: number, endMs: number): number {
  const beforeEnd = endMs - bookmarkBeforeEndMs;
  const regular = nowMs + bookmarkEveryMs;
  if (beforeEnd > nowMs && beforeEnd < regular) return beforeEnd;
  return regular < endMs ? regular : Number.POSITIVE_INFINITY;
}

/** One message an event, without what separates events in a stream. */
async function* single(
  batches: AsyncGenerator<readonly Uint8Array[]>,
  kind: 'text' | 'binary',
): AsyncGenerator<Uint8Array> {
  for await (const frames of batches) {
    for (const frame of frames) yield kind === 'text' ? frame.subarray(0, -1) : frame.subarray(lengthBytes);
  }
}

/** Protobuf frames of a stream begin with their length; messages have their own. */
const lengthBytes = 4;

/** Joins the frames of a batch, and of small batches that are ready, into one write. */
async function* joined(batches: AsyncGenerator<readonly Uint8Array[]>): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = [];
  let length = 0;
  for await (const frames of batches) {
    if (frames.length === 1 && pending.length === 0) {
      yield frames[0] as Uint8Array;
      continue;
    }
    for (const frame of frames) {
      pending.push(frame);
      length += frame.length;
      if (length < batchBytes) continue;
      yield Buffer.concat(pending, length);
      pending = [];
      length = 0;
    }
    if (length > 0) yield Buffer.concat(pending, length);
    pending = [];
    length = 0;
  }
}

async function* objectEvents(
  stream: Stream,
  started: StartedWatch | ApiError,
  forms: Omit<Forms<WatchEvent>, 'error'>,
): AsyncGenerator<WatchEvent> {
  const error = (status: ApiError): WatchEvent => ({
    type: 'ERROR',
    object: status.toStatus() as unknown as WatchEvent['object'],
  });
  for await (const events of formedEvents(stream, started, { ...forms, error })) yield* events;
}
