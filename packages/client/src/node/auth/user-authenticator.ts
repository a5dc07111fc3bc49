// How a kubeconfig user proves itself (spec/client.md §2.1, §2.3, §2.4): plugin, OIDC, token file, token or password, and who it acts as.

import { dirname, isAbsolute, join } from 'node:path';
import type { Env } from '@homeostat/base';
import { toExecConfig } from '../../kubeconfig/exec-config.ts';
import { KubeconfigError, type KubeconfigUser } from '../../kubeconfig/kubeconfig.ts';
import type { SelectedContext } from '../../kubeconfig/select-context.ts';
import { impersonationHeaders } from '../../rest/impersonation.ts';
import type { Authenticator, RequestHeaders } from '../http-connection-options.ts';
import { updateKubeconfigUser } from '../modify-kubeconfig.ts';
import type { Environment } from '../proxy/proxy-environment.ts';
import { ExecAuthenticator } from './exec-authenticator.ts';
import { OidcAuthenticator } from './oidc-authenticator.ts';
import { createTokenFile } from './token-file.ts';

export interface UserAuthenticatorOptions {
  readonly env: Env;
  readonly context: SelectedContext;
  readonly environment: Environment;
  /** The cluster's CA bundle, PEM. */
  readonly ca: () => string | undefined;
}

/**
 * The authenticator of a context's user. As with kubectl, nothing secret goes to a server of plain http: there it only says who it acts as.
 * @throws KubeconfigError for a section that can't be used.
 */
export function createUserAuthenticator(options: UserAuthenticatorOptions): Authenticator {
  const { context } = options;
  const authenticator = context.server.startsWith('http:') ? always({}) : credentialsOf(options);
  const acting = actingAs(context);
  if (Object.keys(acting).length === 0) return authenticator;
  const add = (headers: RequestHeaders): RequestHeaders => ({ ...acting, ...headers });
  return {
    headers(signal) {
      const headers = authenticator.headers(signal);
      return headers instanceof Promise ? headers.then(add) : add(headers);
    },
    clientCertificate: () => authenticator.clientCertificate?.(),
    refused: (headers) => authenticator.refused?.(headers),
    close: () => authenticator.close?.(),
  };
}

function credentialsOf({ env, context, environment, ca }: UserAuthenticatorOptions): Authenticator {
  const { user, userName, cluster } = context;
  const { token, tokenFile, username, password, exec, 'auth-provider': provider } = user.value;
  if (isSet(tokenFile)) {
    const path = isAbsolute(tokenFile) ? tokenFile : join(dirname(user.file), tokenFile);
    const current = createTokenFile({ path, env, ...(isSet(token) ? { fallback: token } : {}) });
    return { headers: () => ({ authorization: `Bearer ${current()}` }) };
  }
  if (isSet(token)) return always({ authorization: `Bearer ${token}` });
  if (isSet(username)) {
    const basic = Buffer.from(`${username}:${password ?? ''}`).toString('base64');
    return always({ authorization: `Basic ${basic}` });
  }
  if (exec !== undefined && exec !== null) {
    return new ExecAuthenticator({
      env,
      config: toExecConfig(userName, exec),
      file: user.file,
      cluster,
      ca,
      environment,
    });
  }
  if (provider !== undefined && provider !== null) {
    const { file } = user;
    return new OidcAuthenticator({
      env,
      config: provider.config ?? {},
      file,
      environment,
      persist: (tokens) =>
        updateKubeconfigUser(env, {
          file,
          name: userName,
          change: (entry) => {
            const section = (entry['auth-provider'] ?? {}) as NonNullable<KubeconfigUser['auth-provider']>;
            return { ...entry, 'auth-provider': { ...section, config: { ...section.config, ...tokens } } };
          },
        }),
    });
  }
  return always({});
}

function always(headers: RequestHeaders): Authenticator {
  return { headers: () => headers };
}

function actingAs({ user, name }: SelectedContext): RequestHeaders {
  const { as = '', 'as-uid': uid = '', 'as-groups': groups, 'as-user-extra': extra } = user.value;
  const more = (groups ?? []).length > 0 || Object.keys(extra ?? {}).length > 0 || uid !== '';
  if (as === '' && !more) return {};
  try {
    return impersonationHeaders({ user: as, uid, groups: groups ?? [], extra: extra ?? {} });
  } catch (error) {
    throw new KubeconfigError(`context ${JSON.stringify(name)}: as: ${(error as Error).message}`, { cause: error });
  }
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}
