// Credentials of single controllers (spec/infrastructure.md §1.5): a ServiceAccount in kube-system each, with a token that is
// asked for when it is needed and again when four fifths of its life are over. A 401 drops it.

import type { Env } from '@homeostat/base';
import {
  type ApiRequest,
  type ApiResponse,
  type Client,
  isNotFound,
  resourceType,
  type Transport,
} from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';

const namespace = 'kube-system';
const expirationSeconds = 3600;
const shortestLifeMs = 600_000;

const accounts = resourceType({
  group: '',
  version: 'v1',
  resource: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
});

interface Token {
  readonly text: string;
  readonly renewAtMs: number;
}

interface TokenRequest extends KubeObject {
  readonly status?: { readonly token?: string; readonly expirationTimestamp?: string };
}

export interface ServiceAccountTransportOptions {
  readonly env: Env;
  /** Asks for tokens; needs the right to make ServiceAccounts and their tokens. */
  readonly client: Client;
  /** Carries the requests, without credentials of its own; shared by all controllers. */
  readonly transport: Transport;
  /** Name of the ServiceAccount in kube-system; made when it is not there. */
  readonly name: string;
}

/** A transport whose requests come from the ServiceAccount. */
export function createServiceAccountTransport(options: ServiceAccountTransportOptions): Transport {
  const source = new TokenSource(options);
  const send = async (request: ApiRequest): Promise<ApiResponse> => {
    const token = await source.get(request.signal);
    const response = await options.transport.send({
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${token}` },
    });
    if (response.status === 401) source.drop(token);
    return response;
  };
  return { send, close: () => Promise.resolve() };
}

class TokenSource {
  readonly #options: ServiceAccountTransportOptions;
  #token: Token | undefined;
  #fetching: Promise<Token> | undefined;

  constructor(options: ServiceAccountTransportOptions) {
    this.#options = options;
  }

  async get(signal: AbortSignal): Promise<string> {
    if (this.#token !== undefined && this.#options.env.clock.nowMs() < this.#token.renewAtMs) return this.#token.text;
    this.#fetching ??= this.#fetch(signal).finally(() => {
      this.#fetching = undefined;
    });
    this.#token = await this.#fetching;
    return this.#token.text;
  }

  drop(text: string): void {
    if (this.#token?.text === text) this.#token = undefined;
  }

  async #fetch(signal: AbortSignal): Promise<Token> {
    const { client, name, env } = this.#options;
    await this.#ensureAccount(signal);
    const nowMs = env.clock.nowMs();
    const answer: TokenRequest = await client.createSubresource(accounts, {
      namespace,
      name,
      subresource: 'token',
      object: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds },
      } as KubeObject,
      signal,
    });
    const { token = '', expirationTimestamp } = answer.status ?? {};
    const lifeMs =
      expirationTimestamp === undefined ? expirationSeconds * 1000 : Date.parse(expirationTimestamp) - nowMs;
    return { text: token, renewAtMs: nowMs + Math.max(lifeMs, shortestLifeMs) * 0.8 };
  }

  async #ensureAccount(signal: AbortSignal): Promise<void> {
    const { client, name } = this.#options;
    try {
      await client.get(accounts, { namespace, name, signal });
      return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    try {
      await client.create(accounts, {
        namespace,
        object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
        signal,
      });
    } catch (error) {
      if ((error as { readonly reason?: string }).reason !== 'AlreadyExists') throw error;
    }
  }
}
