// What a kubeconfig says about one context: server, trust and identity, checked for contradictions. Pure.

import { checkFields, clusterFields, contextFields, userFields } from './check-fields.ts';
import { toExecConfig } from './exec-config.ts';
import {
  type Kubeconfig,
  type KubeconfigCluster,
  KubeconfigError,
  type KubeconfigUser,
  type Located,
} from './kubeconfig.ts';

/** One context, looked up and checked. */
export interface SelectedContext {
  readonly name: string;
  readonly namespace: string;
  readonly server: string;
  readonly cluster: Located<KubeconfigCluster>;
  /** Name of the user's entry; empty when the context names none. */
  readonly userName: string;
  readonly user: Located<KubeconfigUser>;
}

/**
 * Looks a context up; default the current one.
 * @throws KubeconfigError when something it names is missing, contradicts itself, or needs an auth-provider other than `oidc`.
 */
export function selectContext(config: Kubeconfig, name: string = config.currentContext): SelectedContext {
  if (name === '') throw new KubeconfigError('no context is selected: current-context is not set');
  const context = config.contexts.get(name)?.value;
  if (context === undefined) throw new KubeconfigError(`context ${JSON.stringify(name)} does not exist`);
  checkFields(`context ${JSON.stringify(name)}`, context, contextFields);
  const cluster = config.clusters.get(context.cluster ?? '');
  if (cluster === undefined) {
    throw new KubeconfigError(
      `context ${JSON.stringify(name)} names cluster ${JSON.stringify(context.cluster ?? '')}, which does not exist`,
    );
  }
  const user = context.user === undefined ? undefined : config.users.get(context.user);
  if (context.user !== undefined && context.user !== '' && user === undefined) {
    throw new KubeconfigError(
      `context ${JSON.stringify(name)} names user ${JSON.stringify(context.user)}, which does not exist`,
    );
  }
  checkCluster(context.cluster ?? '', cluster.value);
  const server = serverOf(context.cluster ?? '', cluster.value);
  checkUser(context.user ?? '', user?.value ?? {});
  const namespace = context.namespace === undefined || context.namespace === '' ? 'default' : context.namespace;
  return {
    name,
    namespace,
    server,
    cluster,
    userName: context.user ?? '',
    user: user ?? { value: {}, file: cluster.file },
  };
}

/** The server's URL. As with kubectl the scheme may be missing: it is https where the cluster's section speaks of trust, else http. */
function serverOf(name: string, cluster: KubeconfigCluster): string {
  const server = cluster.server?.trim() ?? '';
  if (server === '') throw new KubeconfigError(`cluster ${JSON.stringify(name)} has no server`);
  const speaksOfTrust =
    cluster['insecure-skip-tls-verify'] === true ||
    isSet(cluster['certificate-authority']) ||
    isSet(cluster['certificate-authority-data']);
  const full = server.includes('://') ? server : `${speaksOfTrust ? 'https' : 'http'}://${server}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if ((url?.protocol !== 'https:' && url?.protocol !== 'http:') || url.username !== '' || url.password !== '')
    throw new KubeconfigError(
      `cluster ${JSON.stringify(name)}: server must be an http or https URL without credentials`,
    );
  return full;
}

function checkCluster(name: string, cluster: KubeconfigCluster): void {
  checkFields(`cluster ${JSON.stringify(name)}`, cluster, clusterFields);
  checkOnce(`cluster ${JSON.stringify(name)}`, cluster, ['certificate-authority']);
  const trusts = isSet(cluster['certificate-authority']) || isSet(cluster['certificate-authority-data']);
  if (cluster['insecure-skip-tls-verify'] === true && trusts) {
    throw new KubeconfigError(
      `cluster ${JSON.stringify(name)}: certificate-authority and insecure-skip-tls-verify exclude each other`,
    );
  }
}

function checkUser(name: string, user: KubeconfigUser): void {
  checkFields(`user ${JSON.stringify(name)}`, user, userFields);
  checkOnce(`user ${JSON.stringify(name)}`, user, ['client-certificate', 'client-key']);
  const provider = user['auth-provider'];
  if (user.exec !== undefined && user.exec !== null) {
    toExecConfig(name, user.exec);
    if (provider !== undefined && provider !== null) {
      throw new KubeconfigError(
        `user ${JSON.stringify(name)}: authProvider cannot be provided in combination with an exec plugin`,
      );
    }
  }
  if (provider !== undefined && provider !== null && provider.name !== 'oidc') {
    throw new KubeconfigError(
      `user ${JSON.stringify(name)}: no auth provider found for name ${JSON.stringify(provider.name ?? '')}: only oidc is built in, others are exec plugins today`,
    );
  }
  const cert = isSet(user['client-certificate']) || isSet(user['client-certificate-data']);
  const key = isSet(user['client-key']) || isSet(user['client-key-data']);
  if (cert !== key) {
    throw new KubeconfigError(
      `user ${JSON.stringify(name)}: a client certificate needs a client key, and a key a certificate`,
    );
  }
  if (isSet(user.username) && (isSet(user.token) || isSet(user.tokenFile))) {
    throw new KubeconfigError(`user ${JSON.stringify(name)}: more than one authentication method: token and username`);
  }
}

/** A file or its content inline, not both. */
function checkOnce(what: string, section: KubeconfigCluster | KubeconfigUser, fields: readonly string[]): void {
  const values = section as Readonly<Record<string, unknown>>;
  const field = fields.find((name) => isSet(values[name]) && isSet(values[`${name}-data`]));
  if (field !== undefined) throw new KubeconfigError(`${what}: ${field}-data and ${field} are both specified`);
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
