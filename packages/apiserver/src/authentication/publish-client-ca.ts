// Publishes the authority whose client certificates this server trusts, for extension API servers and for controllers
// that verify clients as this server does (ConfigMap kube-system/extension-apiserver-authentication; spec/apiserver.md §20).

import type { ConfigMap } from '@homeostat/api/types/core-v1';
import { ownRequest } from '../registry/bootstrap/own-request.ts';
import type { StartHook } from '../server/api-server-options.ts';
import { runOnChange } from '../server/run-on-change.ts';
import type { ServerHost } from '../server/server-host.ts';

const namespace = 'kube-system';
const name = 'extension-apiserver-authentication';
const key = 'client-ca-file';
const path = `/api/v1/namespaces/${namespace}/configmaps`;

/** `clientCa`: PEM of one or more certificates. */
export function createClientCaTask(host: Pick<ServerHost, 'env' | 'handle' | 'reader'>, clientCa: string): StartHook {
  const reader = host.reader({ group: '', resource: 'configmaps' });
  const pass = async (signal: AbortSignal): Promise<void> => {
    const stored = (await reader.getFresh(namespace, name, signal)) as ConfigMap | undefined;
    const published = stored?.data?.[key];
    if (published?.includes(clientCa) === true) return;
    // Authorities of other servers of this cluster stay: their clients are welcome too.
    const data = { ...stored?.data, [key]: `${published ?? ''}${clientCa}` };
    const object: ConfigMap = {
      ...stored,
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace, ...stored?.metadata },
      data,
    };
    await ownRequest(
      host.handle,
      signal,
      stored === undefined ? { method: 'POST', path, object } : { method: 'PUT', path: `${path}/${name}`, object },
    );
  };
  return {
    name: 'cluster-authentication-info',
    run: (signal) =>
      runOnChange(
        {
          env: host.env,
          name: 'publishing the client certificate authority',
          subscribe: (notify) => [
            reader.onChange(({ current, previous }) => {
              const { metadata } = current ?? previous ?? {};
              if (metadata?.name === name && metadata.namespace === namespace) notify();
            }),
          ],
          pass,
        },
        signal,
      ),
  };
}
