// Who may read metrics and diagnostics: bearer tokens are checked by TokenReview, rights by SubjectAccessReview, as controller-runtime's
// filter does. Answers are kept for a while, so that a scraper costs two reviews a minute.

import { type Env, LruMap } from '@homeostat/base';
import {
  type ApiRequest,
  type ApiResponse,
  type Client,
  type Handle,
  resourceType,
  type UserInfo,
} from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';

export interface AccessFilterOptions {
  readonly env: Env;
  /** Needs the right to create TokenReviews and SubjectAccessReviews (`system:auth-delegator`). */
  readonly client: Client;
  /** Creates the TokenReviews; default {@link client}. */
  readonly tokenClient?: Client;
  /** Paths that everybody may read; default the health checks. */
  readonly open?: readonly string[];
}

interface TokenReview extends KubeObject {
  readonly spec?: { readonly token?: string };
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: { readonly username?: string } & Omit<UserInfo, 'username'>;
  };
}

interface AccessReview extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: { readonly allowed?: boolean; readonly reason?: string };
}

interface Kept<T> {
  readonly value: T;
  readonly untilMs: number;
}

const tokenReviews = resourceType<TokenReview>({
  group: 'authentication.k8s.io',
  version: 'v1',
  resource: 'tokenreviews',
  kind: 'TokenReview',
  namespaced: false,
});
const accessReviews = resourceType<AccessReview>({
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  namespaced: false,
});

const openByDefault = ['/healthz', '/livez', '/readyz'];
const keptMax = 1_000;
const tokenKeptMs = 60_000;
const allowedKeptMs = 60_000;
const deniedKeptMs = 10_000;
const reviewTimeoutMs = 10_000;

/** Lets through who may; others get 401 or 403, and 503 while the API server can't be asked. */
export function withAccessFilter(handle: Handle, options: AccessFilterOptions): Handle {
  const { env, client, tokenClient = client, open = openByDefault } = options;
  const users = new LruMap<string, Kept<UserInfo | undefined>>(keptMax);
  const rights = new LruMap<string, Kept<boolean>>(keptMax);

  const kept = async <T>(
    cache: LruMap<string, Kept<T>>,
    key: string,
    ask: () => Promise<{ readonly value: T; readonly forMs: number }>,
  ): Promise<T> => {
    const known = cache.get(key);
    if (known !== undefined && known.untilMs > env.clock.monotonicMs()) return known.value;
    const { value, forMs } = await ask();
    cache.set(key, { value, untilMs: env.clock.monotonicMs() + forMs });
    return value;
  };

  const userOf = async ({ headers, peer, signal }: ApiRequest): Promise<UserInfo | undefined> => {
    const certificate = peer?.clientCertificate;
    if (certificate !== undefined) return { username: certificate.commonName, groups: certificate.organizations };
    const token = /^Bearer +(\S+)$/i.exec(headers['authorization'] ?? '')?.[1];
    if (token === undefined) return undefined;
    return kept(users, token, async () => {
      const object = { spec: { token } };
      const { status } = await tokenClient.create(tokenReviews, { object, signal, timeoutMs: reviewTimeoutMs });
      const { username, ...more } = status?.user ?? {};
      const value = status?.authenticated === true && username !== undefined ? { username, ...more } : undefined;
      return { value, forMs: value === undefined ? deniedKeptMs : tokenKeptMs };
    });
  };

  const mayGet = (user: UserInfo, { path, method, signal }: ApiRequest): Promise<boolean> => {
    const attributes = { path, verb: method.toLowerCase() };
    return kept(rights, JSON.stringify([user, attributes]), async () => {
      const { username, uid, groups = [], extra } = user;
      const who = {
        user: username,
        groups,
        ...(uid === undefined ? {} : { uid }),
        ...(extra === undefined ? {} : { extra }),
      };
      const object = { spec: { ...who, nonResourceAttributes: attributes } };
      const { status } = await client.create(accessReviews, { object, signal, timeoutMs: reviewTimeoutMs });
      const value = status?.allowed === true;
      return { value, forMs: value ? allowedKeptMs : deniedKeptMs };
    });
  };

  return async (request) => {
    if (open.some((path) => request.path === path || request.path.startsWith(`${path}/`))) return handle(request);
    try {
      const user = await userOf(request);
      if (user === undefined) return refusal(401, 'Unauthorized');
      if (!(await mayGet(user, request))) return refusal(403, `Authorization denied for user ${user.username}`);
    } catch (error) {
      if (request.signal.aborted) throw error;
      env.log.error('a request could not be checked with the API server', { error, path: request.path });
      return refusal(503, 'the API server can not be asked');
    }
    return handle(request);
  };
}

function refusal(status: number, text: string): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: { kind: 'bytes', chunks: [new TextEncoder().encode(`${text}\n`)] },
  };
}
