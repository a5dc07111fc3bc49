// Test support of the webhook plugins: a server whose webhooks are functions of the test, by path. Only for tests.

import { type Env } from '@homeostat/base';
import { decodeJson } from '@homeostat/machinery';
import type { MemoryStore } from '@homeostat/storage/memory';
import { FixtureServer } from '../../server/api-server-fixture.ts';
import type { Authorizer } from '../../server/authorizer.ts';
import { anonymousUser, toUser } from '../../server/user.ts';
import { createAdmissionPlugins } from '../plugin-table.ts';
import type { WebhookAnswer, WebhookCall, WebhookCaller } from './webhook-caller.ts';

export interface ReviewRequest {
  readonly uid: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: string;
  readonly subResource?: string;
  readonly object: { readonly [key: string]: unknown; readonly metadata: Record<string, unknown> } | null;
  readonly oldObject: { readonly [key: string]: unknown; readonly metadata: Record<string, unknown> } | null;
  readonly dryRun: boolean;
  readonly options: Record<string, unknown> | null;
  readonly [key: string]: unknown;
}

/** The `response` without its uid; a whole answer; or a promise of one. */
export type Hook = (
  request: ReviewRequest,
  call: WebhookCall & { readonly review: Record<string, unknown> },
) => Record<string, unknown> | WebhookAnswer | Promise<Record<string, unknown> | WebhookAnswer>;

export class FixtureHooks implements WebhookCaller {
  /** By path of the URL, e.g. `/a`. */
  readonly hooks = new Map<string, Hook>();
  readonly calls: { readonly path: string; readonly request: ReviewRequest; readonly call: WebhookCall }[] = [];

  on(path: string, hook: Hook): void {
    this.hooks.set(path, hook);
  }

  async call(call: WebhookCall): Promise<WebhookAnswer> {
    const path = new URL(call.url).pathname;
    const review = decodeJson(call.body) as unknown as { readonly apiVersion: string; readonly request: ReviewRequest };
    this.calls.push({ path, request: review.request, call });
    call.connectTo?.();
    const hook = this.hooks.get(path);
    if (hook === undefined) throw new Error('dial tcp 127.0.0.1:443: connect: connection refused');
    const answer = await hook(review.request, { ...call, review: { ...review } });
    if (isAnswer(answer)) return answer;
    const { apiVersion } = review;
    return json({ kind: 'AdmissionReview', apiVersion, response: { uid: review.request.uid, ...answer } });
  }
}

function isAnswer(answer: Record<string, unknown> | WebhookAnswer): answer is WebhookAnswer {
  return answer['body'] instanceof Uint8Array;
}

export function json(body: unknown, status = 200): WebhookAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(body)) };
}

/** An answer that patches; operations as JSON patch. */
export function patching(...operations: readonly Record<string, unknown>[]): Record<string, unknown> {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch };
}

export interface HookedServer {
  readonly server: FixtureServer;
  readonly hooks: FixtureHooks;
}

/** Only the webhook plugins are on. */
export async function startHookedServer(
  options: { readonly env?: Env; readonly authorizer?: Authorizer; readonly store?: MemoryStore } = {},
): Promise<HookedServer> {
  const hooks = new FixtureHooks();
  const server = await FixtureServer.start({
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.store === undefined ? {} : { store: options.store }),
    parts: (host) => ({
      authenticator: {
        authenticate: ({ peer }) => (peer?.user === undefined ? anonymousUser : toUser(peer.user)),
      },
      ...(options.authorizer === undefined ? {} : { authorizer: options.authorizer }),
      admission: createAdmissionPlugins(host, {}, { caller: hooks }).filter(({ name }) =>
        name.endsWith('AdmissionWebhook'),
      ),
    }),
  });
  return { server, hooks };
}

const path = '/apis/admissionregistration.k8s.io/v1';

/** Stores a configuration `name` of webhooks; each gets a URL of its own name's first label unless it says otherwise. */
export async function configure(
  server: FixtureServer,
  type: 'validating' | 'mutating',
  name: string,
  ...webhooks: readonly Record<string, unknown>[]
): Promise<void> {
  const answer = await server.post(`${path}/${type}webhookconfigurations`, {
    metadata: { name },
    webhooks: webhooks.map((webhook) => ({
      clientConfig: { url: `https://hooks.test/${String(webhook['name']).split('.')[0]}` },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      rules: [rule(['configmaps'])],
      ...webhook,
    })),
  });
  if (answer.status !== 201) throw new Error(`the configuration was refused: ${answer.text}`);
}

export function rule(resources: readonly string[], more: Record<string, unknown> = {}): Record<string, unknown> {
  return { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources, ...more };
}
