// A way to the API server that loses one watch event: the fault of the chapter about repair. Works on objects (in process)
// and on JSON lines (over HTTP).

import type { ApiResponse, Handle } from '@homeostat/client';
import type { KubeObject, WatchEvent } from '@homeostat/machinery';

export interface LossyHandle {
  readonly handle: Handle;
  /** The object of the event that was lost, once it was. */
  lost(): KubeObject | undefined;
}

/** Swallows the first watch event that `loses` says yes to; everything else passes. */
export function loseOneEvent(handle: Handle, loses: (event: WatchEvent) => boolean): LossyHandle {
  let lost: KubeObject | undefined;
  const swallows = (event: WatchEvent): boolean => {
    if (lost !== undefined || !loses(event)) return false;
    lost = event.object;
    return true;
  };
  return {
    lost: () => lost,
    handle: async (request) => {
      const response = await handle(request);
      return /(^|&)watch=(true|1)/.test(request.query) ? withoutLost(response, swallows) : response;
    },
  };
}

function withoutLost(response: ApiResponse, swallows: (event: WatchEvent) => boolean): ApiResponse {
  const { body } = response;
  if (body.kind === 'watch')
    return { ...response, body: { kind: 'watch', events: filterEvents(body.events, swallows) } };
  if (body.kind === 'stream')
    return { ...response, body: { kind: 'stream', chunks: filterLines(body.chunks, swallows) } };
  return response;
}

async function* filterEvents(
  events: AsyncIterable<WatchEvent>,
  swallows: (event: WatchEvent) => boolean,
): AsyncGenerator<WatchEvent> {
  for await (const event of events) if (!swallows(event)) yield event;
}

async function* filterLines(
  chunks: AsyncIterable<Uint8Array>,
  swallows: (event: WatchEvent) => boolean,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let pending = '';
  for await (const chunk of chunks) {
    const lines = (pending + decoder.decode(chunk, { stream: true })).split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) if (!swallows(JSON.parse(line) as WatchEvent)) yield encoder.encode(`${line}\n`);
  }
}
