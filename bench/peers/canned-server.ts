// An API server that has its answers ready: 100,000 Pods as a list, as pages or as a streamed list, and events by the thousand
// when told to. It does nothing else, so that what is measured is the client. A process of its own; commands come as messages.

import { once } from 'node:events';
import http2, { type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createRealEnv } from '@homeostat/base/node';
import { openClusterPki } from '@homeostat/apiserver/node';
import { smallPod } from '../pods.ts';

/** What the parent may send. */
export interface PushCommand {
  readonly push: number;
}

const count = Number(process.argv[2]);
const directory = process.argv[3] ?? '';
const chunkBytes = 256 * 1024;

const items = Array.from({ length: count }, (_unused, index) => JSON.stringify(smallPod(index, index + 1)));
const version = String(count + 1);
const listHead = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"${version}"`;
const endOfInitial =
  `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"${version}","creationTimestamp":null,` +
  `"annotations":{"k8s.io/initial-events-end":"true"}},"spec":{"containers":null},"status":{}}}\n`;

const watchers = new Set<Http2ServerResponse>();
const pki = await openClusterPki({ env: createRealEnv({ level: 'error' }), directory });
const server = http2.createSecureServer(
  {
    cert: pki.serving.cert,
    key: pki.serving.key,
    allowHTTP1: true,
    // As kube-apiserver has it: a list must not wait for window updates.
    settings: { initialWindowSize: 1024 * 1024 },
  },
  (request, response) => void answer(request, response),
);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
process.send?.({ url: `https://127.0.0.1:${port}`, ca: pki.caCert });
process.on('message', (command: PushCommand) => void push(command.push));

async function answer(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url, 'https://127.0.0.1');
  if (pathname !== '/api/v1/pods') {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  if (['true', '1'].includes(searchParams.get('watch') ?? '')) {
    if (searchParams.get('sendInitialEvents') === 'true') {
      await writeAll(response, frames('ADDED', 0, count));
      response.write(endOfInitial);
    }
    watchers.add(response);
    response.on('close', () => watchers.delete(response));
    return;
  }
  const limit = Number(searchParams.get('limit') ?? 0);
  // Versions 0 are answered whole, as a server with a watch cache does.
  const pageSize = searchParams.get('resourceVersion') === '0' || limit === 0 ? count : limit;
  const from = Number(searchParams.get('continue') ?? 0);
  const next =
    from + pageSize < count ? `,"continue":"${from + pageSize}","remainingItemCount":${count - from - pageSize}` : '';
  response.write(`${listHead}${next}},"items":[`);
  await writeAll(response, joined(from, Math.min(from + pageSize, count)));
  response.end(']}\n');
}

async function push(events: number): Promise<void> {
  const texts = [...frames('MODIFIED', count + 1, events)];
  await Promise.all([...watchers].map((watcher) => writeAll(watcher, texts)));
}

/** Watch frames in large chunks; objects by `index % count`, versions counted up. */
function* frames(type: string, firstVersion: number, events: number): Generator<string> {
  let chunk = '';
  for (let index = 0; index < events; index++) {
    const object =
      firstVersion === 0 ? items[index] : JSON.stringify(smallPod(index % count, firstVersion + index + 1, true));
    chunk += `{"type":"${type}","object":${object}}\n`;
    if (chunk.length < chunkBytes) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

function* joined(from: number, to: number): Generator<string> {
  let chunk = '';
  for (let index = from; index < to; index++) {
    chunk += index === from ? items[index] : `,${items[index]}`;
    if (chunk.length < chunkBytes) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

async function writeAll(response: Http2ServerResponse, chunks: Iterable<string>): Promise<void> {
  for (const chunk of chunks) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await drained(response);
  }
}

/** Waits until the response takes more, or has ended. */
function drained(response: Http2ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      response.off('drain', end);
      response.off('close', end);
      resolve();
    };
    response.on('drain', end);
    response.on('close', end);
  });
}
