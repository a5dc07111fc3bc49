// OpenID Connect id-tokens of `auth-provider: {name: oidc}`: used while good, refreshed with the refresh token when not, and written back
// to the kubeconfig, since a provider may accept each refresh token once only. Tokens are not verified here: the API server does.

import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { abortable, type Env } from '@homeostat/base';
import { KubeconfigError } from '../../kubeconfig/kubeconfig.ts';
import type { Authenticator, RequestHeaders } from '../http-connection-options.ts';
import type { Environment } from '../proxy/proxy-environment.ts';
import { fetchJson } from './fetch-json.ts';

/** A token is refreshed this long before it expires. */
const leewayMs = 10_000;
/** What came of a refresh stands for this long: a failure, or a token that our clock takes for expired. */
const refreshGapMs = 1_000;

/** The `config` of the section, by its names in the kubeconfig: `idp-issuer-url`, `client-id`, `id-token`, … */
export type OidcConfig = Readonly<Record<string, string>>;

export interface OidcAuthenticatorOptions {
  readonly env: Env;
  readonly config: OidcConfig;
  /** The kubeconfig: paths are relative to its folder. */
  readonly file: string;
  readonly environment: Environment;
  /** Keeps changed tokens; a failure is logged, the tokens are used all the same. */
  readonly persist: (tokens: OidcConfig) => Promise<void>;
}

/** Guarantees: one refresh at a time, whose result all waiting requests share; none while the token is good. */
export class OidcAuthenticator implements Authenticator {
  readonly #options: OidcAuthenticatorOptions;
  readonly #closing = new AbortController();
  #config: OidcConfig;
  #failure: { readonly error: unknown; readonly atMs: number } | undefined;
  #refreshedAtMs = -Infinity;
  #refreshing: Promise<string> | undefined;

  /** @throws KubeconfigError when the issuer or the client is not named. */
  constructor(options: OidcAuthenticatorOptions) {
    this.#options = options;
    this.#config = options.config;
    if ((options.config['idp-issuer-url'] ?? '') === '') throw new KubeconfigError('oidc: must provide idp-issuer-url');
    if ((options.config['client-id'] ?? '') === '') throw new KubeconfigError('oidc: must provide client-id');
  }

  headers(signal: AbortSignal): RequestHeaders | Promise<RequestHeaders> {
    const { clock } = this.#options.env;
    const token = this.#config['id-token'] ?? '';
    const young = clock.monotonicMs() - this.#refreshedAtMs < refreshGapMs;
    if (token !== '' && (young || clock.nowMs() + leewayMs < expiryOf(token))) return toHeaders(token);
    if (this.#failure !== undefined && clock.monotonicMs() - this.#failure.atMs < refreshGapMs)
      throw this.#failure.error;
    this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined));
    return abortable(this.#refreshing, signal).then(toHeaders);
  }

  close(): void {
    this.#closing.abort(new KubeconfigError('the client was closed while a token was refreshed'));
  }

  async #refresh(): Promise<string> {
    const { env, persist } = this.#options;
    try {
      const refreshToken = this.#config['refresh-token'] ?? '';
      if (refreshToken === '')
        throw new KubeconfigError('oidc: no valid id-token, and cannot refresh without refresh-token');
      const answer = await this.#askForTokens(refreshToken);
      const { id_token: idToken, refresh_token: next } = answer;
      if (typeof idToken !== 'string' || idToken === '') {
        throw new KubeconfigError(
          'oidc: token response did not contain an id_token, either the scope "openid" wasn\'t requested upon login, or the provider doesn\'t support id_tokens as part of the refresh response',
        );
      }
      expiryOf(idToken); // one that can't be read is a failure now, not a token without end
      const tokens = {
        'id-token': idToken,
        'refresh-token': typeof next === 'string' && next !== '' ? next : refreshToken,
      };
      this.#config = { ...this.#config, ...tokens };
      this.#failure = undefined;
      this.#refreshedAtMs = env.clock.monotonicMs();
      await persist(tokens).catch((error: unknown) => {
        env.log.warn('refreshed OIDC tokens could not be written to the kubeconfig', { error });
      });
      return idToken;
    } catch (error) {
      this.#failure = { error, atMs: env.clock.monotonicMs() };
      throw error;
    }
  }

  async #askForTokens(refreshToken: string): Promise<Readonly<Record<string, unknown>>> {
    const { env, environment } = this.#options;
    const call = { env, environment, ca: this.#readCa(), signal: this.#closing.signal };
    const issuer = (this.#config['idp-issuer-url'] ?? '').replace(/\/$/, '');
    const discovery = await fetchJson(toUrl(`${issuer}/.well-known/openid-configuration`, 'idp-issuer-url'), call);
    const endpoint = discovery.body['token_endpoint'];
    if (discovery.status !== 200 || typeof endpoint !== 'string' || endpoint === '')
      throw new KubeconfigError(`oidc: failed to query the provider ${issuer}: status ${discovery.status}`);
    const client = this.#config['client-id'] ?? '';
    const secret = this.#config['client-secret'] ?? '';
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
    const url = toUrl(endpoint, 'token_endpoint');
    // RFC 6749 §2.3.1: the client proves itself by Basic; some providers read it from the form only.
    const basic = Buffer.from(`${formEncode(client)}:${formEncode(secret)}`).toString('base64');
    const first = await fetchJson(url, { ...call, form, headers: { authorization: `Basic ${basic}` } });
    if (first.status < 300) return first.body;
    const second = await fetchJson(url, {
      ...call,
      form: { ...form, client_id: client, ...(secret === '' ? {} : { client_secret: secret }) },
    });
    if (second.status < 300) return second.body;
    const { error, error_description: text } = second.body;
    throw new KubeconfigError(
      `oidc: failed to refresh token: status ${second.status}: ${[error, text].filter((part) => typeof part === 'string').join(': ')}`,
    );
  }

  #readCa(): string | undefined {
    const data = this.#config['idp-certificate-authority-data'] ?? '';
    if (data !== '') return Buffer.from(data, 'base64').toString('utf8');
    const path = this.#config['idp-certificate-authority'] ?? '';
    if (path === '') return undefined;
    return readFileSync(isAbsolute(path) ? path : join(dirname(this.#options.file), path), 'utf8');
  }
}

/** When a JSON Web Token expires, wall clock milliseconds. @throws KubeconfigError when it is none. */
function expiryOf(token: string): number {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const { exp } = claims as { readonly exp?: unknown };
    if (typeof exp === 'number') return exp * 1000;
  } catch {
    // Told below, without the token.
  }
  throw new KubeconfigError('oidc: the id-token is not a JSON Web Token with an expiry');
}

function formEncode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

function toUrl(text: string, field: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new KubeconfigError(`oidc: ${field} is not an http(s) URL: ${JSON.stringify(text)}`);
}

function toHeaders(token: string): RequestHeaders {
  return { authorization: `Bearer ${token}` };
}
