// What a kubeconfig says about one context: server, trust and identity, checked for contradictions. Pure.

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
  readonly user: Located<KubeconfigUser>;
}

/**
 * Looks a context up; default the current one.
 * @throws KubeconfigError when something it names is missing, contradicts itself, or needs what this client does not have.
 */
export function selectContext(config: Kubeconfig, name: string = config.currentContext): SelectedContext {
  if (name === '') throw new KubeconfigError('no context is selected: current-context is not set');
  const context = config.contexts.get(name)?.value;
  if (context === undefined) throw new KubeconfigError(`context ${JSON.stringify(name)} does not exist`);
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
  const { server } = cluster.value;
  if (server === undefined || server === '')
    throw new KubeconfigError(`cluster ${JSON.stringify(context.cluster)} has no server`);
  checkCluster(context.cluster ?? '', cluster.value);
  checkUser(context.user ?? '', user?.value ?? {});
  const namespace = context.namespace === undefined || context.namespace === '' ? 'default' : context.namespace;
  return { name, namespace, server, cluster, user: user ?? { value: {}, file: cluster.file } };
}

function checkCluster(name: string, cluster: KubeconfigCluster): void {
  const trusts = isSet(cluster['certificate-authority']) || isSet(cluster['certificate-authority-data']);
  if (cluster['insecure-skip-tls-verify'] === true && trusts) {
    throw new KubeconfigError(
      `cluster ${JSON.stringify(name)}: certificate-authority and insecure-skip-tls-verify exclude each other`,
    );
  }
  if (isSet(cluster['proxy-url'])) {
    throw new KubeconfigError(`cluster ${JSON.stringify(name)}: proxy-url is not supported by this client`);
  }
}

function checkUser(name: string, user: KubeconfigUser): void {
  if (user.exec !== undefined && user.exec !== null) {
    throw new KubeconfigError(`user ${JSON.stringify(name)}: exec credential plugins are not supported by this client`);
  }
  if (user['auth-provider'] !== undefined && user['auth-provider'] !== null) {
    throw new KubeconfigError(`user ${JSON.stringify(name)}: auth-provider (OIDC) is not supported by this client`);
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

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
