// Webhook servers in the test's own process: the API server calls them as functions, by the name it knows them under. No
// Service, no certificate, no socket has to be there.

import type { WebhookAnswer, WebhookCall, WebhookCaller } from '@homeostat/apiserver';
import type { ApiResponse, Handle } from '@homeostat/client';

/**
 * Answers for the servers given, by `<service>.<namespace>.svc` or by the host of their URLs; a port counts where it is given.
 * Others cannot be reached.
 *
 * @example
 * const { handle } = createWebhookHandler({ env: createVirtualEnv(), webhooks });
 * await using cluster = await createTestCluster({ webhookCaller: inProcessWebhooks({ 'hooks.default.svc': handle }) });
 */
export function inProcessWebhooks(servers: Readonly<Record<string, Handle>>): WebhookCaller {
  return {
    async call(call) {
      const url = new URL(call.url);
      const handle = servers[url.host] ?? servers[url.hostname];
      if (handle === undefined) throw new Error(`dial tcp: lookup ${url.hostname}: no such host`);
      return toAnswer(await handle(toRequest(url, call)));
    },
  };
}

function toRequest(url: URL, { body, signal }: WebhookCall): Parameters<Handle>[0] {
  return {
    method: 'POST',
    path: url.pathname,
    query: url.search.replace(/^\?/, ''),
    headers: { 'content-type': 'application/json', accept: 'application/json, */*' },
    body: { kind: 'bytes', bytes: body },
    signal,
  };
}

async function toAnswer({ status, headers, body }: ApiResponse): Promise<WebhookAnswer> {
  const chunks: Uint8Array[] = [];
  if (body.kind === 'bytes') chunks.push(...body.chunks);
  if (body.kind === 'stream') for await (const chunk of body.chunks) chunks.push(chunk);
  const plain = Object.entries(headers).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : value.join(', '),
  ]);
  return { status, headers: Object.fromEntries(plain) as Record<string, string>, body: Buffer.concat(chunks) };
}
