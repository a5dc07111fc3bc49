// The token controller: Secrets of type service-account-token, as users make them by hand since accounts get none of
// their own.

import type { Secret, ServiceAccount } from '@homeostat/api/types/core-v1';
import { type ObjectKey, splitKey, toKey } from '@homeostat/client';
import { secrets, serviceAccounts } from '@homeostat/client/resources';
import type { Caches, Change, IndexDefinition, PlanController } from '@homeostat/runtime';
import { accountNameAnnotation, diff, type ObservedTokenSecret, type TokenSigner, tokenSecretType } from './diff.ts';

export interface TokenControllerOptions {
  readonly signer: TokenSigner;
  /** `--concurrent-serviceaccount-token-syncs`; default 5. */
  readonly concurrency?: number;
}

const secretsByAccount: IndexDefinition<Secret> = {
  name: 'token-secrets-by-account',
  valuesOf: (secret) => {
    const account = secret.metadata?.annotations?.[accountNameAnnotation];
    return account === undefined ? [] : [toKey(secret.metadata?.namespace, account)];
  },
};

const accountsBySecret: IndexDefinition<ServiceAccount> = {
  name: 'accounts-by-secret',
  valuesOf: (account) =>
    (account.secrets ?? []).map((reference) => toKey(account.metadata?.namespace, reference.name ?? '')),
};

/** Creates the definition; the manager runs it, with root credentials. */
export function createTokenController(options: TokenControllerOptions): PlanController<ObservedTokenSecret> {
  return {
    name: 'serviceaccount-token-controller',
    concurrency: options.concurrency ?? 5,
    retriesMax: 10,
    for: {
      resource: secrets,
      select: { fieldSelector: `type=${tokenSecretType}` },
      indexes: [secretsByAccount],
    } as PlanController<ObservedTokenSecret>['for'],
    watches: [
      {
        resource: serviceAccounts,
        indexes: [accountsBySecret],
        wakes: (change: Change<ServiceAccount>, caches: Caches) => {
          if (change.type === 'resync') return [];
          const key = toKey(change.object.metadata?.namespace, change.object.metadata?.name ?? '');
          const own = caches.lister(secrets).byIndex(secretsByAccount.name, key);
          return own.map((secret) => toKey(secret.metadata?.namespace, secret.metadata?.name ?? ''));
        },
      },
    ],
    observe,
    diff: (observed) => diff(observed, options.signer),
  };
}

export function observe(key: ObjectKey, caches: Caches): ObservedTokenSecret {
  const { namespace = '', name } = splitKey(key);
  const secret = caches.lister(secrets).getByKey(key);
  const accounts = caches.lister(serviceAccounts);
  const account =
    secret === undefined
      ? undefined
      : accounts.get(namespace, secret.metadata?.annotations?.[accountNameAnnotation] ?? '');
  return {
    namespace,
    name,
    secret,
    account,
    referrers: secret === undefined ? accounts.byIndex(accountsBySecret.name, key) : [],
  };
}
