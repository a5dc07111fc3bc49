// The webhooks of an operator: served first, then made known to the API server. How they are served is a port: `runOperator` listens,
// test clusters call them in process.

import { abortable, type Env } from '@homeostat/base';
import type { CustomResourceDefinition } from '@homeostat/api/types/apiextensions-v1';
import type { Client } from '@homeostat/client';
import type { Manager } from '../manager/manager.ts';
import type { Runnable } from '../manager/runnable.ts';
import { installWebhooks } from '../webhook/install-webhooks.ts';
import type { Webhook } from '../webhook/webhook.ts';
import type { WebhookConfigurationOptions } from '../webhook/webhook-configurations.ts';

export interface OperatorWebhooks extends Omit<WebhookConfigurationOptions, 'name' | 'webhooks' | 'caBundle'> {
  /** What is served. */
  readonly handlers: readonly Webhook[];
  /** Of the configurations; default the operator's name. */
  readonly name?: string;
  /**
   * Whether the operator applies the configurations itself, once its webhooks can be called; it needs the right to. Default true. They stay when it
   * ends: until a replica is back, what they are asked about is refused, unless `failurePolicy` says otherwise.
   */
  readonly install?: boolean;
  /** Where it listens, as a process; default port 9443 on all addresses. */
  readonly listen?: { readonly port?: number; readonly host?: string };
  /** How API servers know it is the operator that answers them, as a process. Default: a certificate it makes itself, kept by every replica for itself. */
  readonly certificates?: WebhookCertificates;
}

export type WebhookCertificates =
  /** Made by the operator, and shared by its replicas through this Secret, which is made when it is absent. */
  | { readonly secret: { readonly namespace: string; readonly name: string } }
  /** PEM files that cert-manager or a mounted Secret renews; `ca` is what API servers shall trust, absent where something else tells them. */
  | { readonly cert: string; readonly key: string; readonly ca?: string };

/** What the port is given. */
export interface WebhookServingParts {
  readonly webhooks: OperatorWebhooks;
  /** Of the configurations. */
  readonly name: string;
  readonly client: Client;
  readonly env: Env;
  /** Definitions of the operator; those with a conversion webhook are told the authority too. */
  readonly definitions: readonly CustomResourceDefinition[];
}

/** Webhooks that are served while `server` runs. */
export interface WebhookServing {
  readonly server: Runnable;
  /** Resolves when they can be called. @throws what kept them from it */
  readonly listening: Promise<unknown>;
  /** PEM that API servers shall trust; undefined where they need none or are told by others. Asked once they can be called. */
  caBundle(signal: AbortSignal): Promise<string | undefined>;
}

export type ServeWebhooks = (parts: WebhookServingParts) => WebhookServing;

/** Puts the server and the installation into the manager's `webhooks` group. @throws Error without a port */
export function addOperatorWebhooks(
  manager: Manager,
  serve: ServeWebhooks | undefined,
  parts: WebhookServingParts,
): void {
  if (serve === undefined)
    throw new Error(
      'webhooks have to be served: use runOperator (@homeostat/runtime/node), a test cluster, or give `serveWebhooks`',
    );
  const serving = serve(parts);
  manager.add(serving.server, { group: 'webhooks' });
  if (parts.webhooks.install ?? true) manager.add(installation(serving, parts), { group: 'webhooks' });
}

/** A configuration that came before the server would have writes refused, the operator's own among them. */
function installation(serving: WebhookServing, { webhooks, name, client, env }: WebhookServingParts): Runnable {
  let installed = false;
  return {
    name: 'webhook-installation',
    mayEnd: true,
    check: () => (installed ? undefined : 'the webhook configurations are not applied yet'),
    async run({ signal }) {
      try {
        await abortable(serving.listening, signal);
        const caBundle = await serving.caBundle(signal);
        const {
          handlers,
          name: _name,
          install: _install,
          listen: _listen,
          certificates: _certificates,
          ...rest
        } = webhooks;
        await installWebhooks({
          ...rest,
          client,
          name,
          webhooks: handlers,
          signal,
          ...(caBundle === undefined ? {} : { caBundle }),
        });
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      installed = true;
      env.log.info('the webhook configurations are applied', { name });
    },
  };
}
