// The plan of one token Secret (spec/infrastructure.md §13.1): filled while its ServiceAccount lives, deleted with it, and
// no longer referred to once it is gone. Pure, given the signer.

import type { Secret, ServiceAccount } from '@homeostat/api/types/core-v1';
import { secrets, serviceAccounts } from '@homeostat/client/resources';
import { emptyPlan, type Plan } from '@homeostat/runtime';

export const accountNameAnnotation = 'kubernetes.io/service-account.name';
export const accountUidAnnotation = 'kubernetes.io/service-account.uid';
export const tokenSecretType = 'kubernetes.io/service-account-token';

export interface TokenSigner {
  /** Signs the claims of a legacy token: no expiry, no audience. */
  sign(claims: Readonly<Record<string, string>>): string;
  /** CA bundle for `ca.crt`, PEM; absent when none is configured. */
  readonly rootCa?: string;
}

export interface ObservedTokenSecret {
  readonly namespace: string;
  readonly name: string;
  readonly secret: Secret | undefined;
  readonly account: ServiceAccount | undefined;
  /** ServiceAccounts that list the Secret, when it is gone. */
  readonly referrers: readonly ServiceAccount[];
}

export function diff(observed: ObservedTokenSecret, signer: TokenSigner): Plan {
  const { secret, account, referrers } = observed;
  if (secret === undefined) return referrers.length === 0 ? emptyPlan : recheckSecret(observed);
  const accountName = secret.metadata?.annotations?.[accountNameAnnotation] ?? '';
  if (secret.type !== tokenSecretType || accountName === '' || secret.metadata?.deletionTimestamp !== undefined)
    return emptyPlan;
  const wantedUid = secret.metadata?.annotations?.[accountUidAnnotation] ?? '';
  if (account !== undefined && (wantedUid === '' || account.metadata?.uid === wantedUid))
    return fill(secret, account, signer);
  return recheckAccount(observed, secret, accountName, wantedUid, signer);
}

// The cache may lag behind an account that was just made: only a live look may cost the Secret its life.
function recheckAccount(
  observed: ObservedTokenSecret,
  secret: Secret,
  accountName: string,
  wantedUid: string,
  signer: TokenSigner,
): Plan {
  const { namespace } = observed;
  return {
    steps: [
      {
        actions: [
          {
            verb: 'get',
            resource: serviceAccounts,
            namespace,
            name: accountName,
            tolerates: ['NotFound'],
            reason: 'RecheckServiceAccount',
            facts: { account: accountName },
          },
        ],
      },
    ],
    next: ([outcome]) => {
      if (outcome?.status !== 'done') return emptyPlan;
      const account = outcome.object as ServiceAccount | undefined;
      if (
        account !== undefined &&
        outcome.error === undefined &&
        (wantedUid === '' || account.metadata?.uid === wantedUid)
      ) {
        return fill(secret, account, signer);
      }
      return deletePlan(secret);
    },
  };
}

function fill(secret: Secret, account: ServiceAccount, signer: TokenSigner): Plan {
  const namespace = secret.metadata?.namespace ?? '';
  const name = secret.metadata?.name ?? '';
  const accountName = account.metadata?.name ?? '';
  const uid = account.metadata?.uid ?? '';
  const data: Record<string, string> = { ...secret.data };
  if (signer.rootCa !== undefined) data['ca.crt'] = base64(signer.rootCa);
  if ((data['namespace'] ?? '') === '') data['namespace'] = base64(namespace);
  if ((data['token'] ?? '') === '') {
    data['token'] = base64(
      signer.sign({
        iss: 'kubernetes/serviceaccount',
        'kubernetes.io/serviceaccount/namespace': namespace,
        'kubernetes.io/serviceaccount/secret.name': name,
        'kubernetes.io/serviceaccount/service-account.name': accountName,
        'kubernetes.io/serviceaccount/service-account.uid': uid,
        sub: `system:serviceaccount:${namespace}:${accountName}`,
      }),
    );
  }
  const present = secret.data ?? {};
  const missing = Object.keys(data).filter((key) => data[key] !== present[key]);
  const annotations = {
    ...secret.metadata?.annotations,
    [accountNameAnnotation]: accountName,
    [accountUidAnnotation]: uid,
  };
  if (missing.length === 0 && secret.metadata?.annotations?.[accountUidAnnotation] === uid) return emptyPlan;
  const object = {
    ...secret,
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...secret.metadata, annotations },
    data,
  } as Secret;
  return {
    steps: [
      {
        actions: [
          {
            verb: 'update',
            resource: secrets,
            namespace,
            name,
            object,
            tolerates: ['NotFound'],
            reason: 'TokenIncomplete',
            facts: { missing },
          },
        ],
      },
    ],
  };
}

function deletePlan(secret: Secret): Plan {
  return {
    steps: [
      {
        actions: [
          {
            verb: 'delete',
            resource: secrets,
            namespace: secret.metadata?.namespace ?? '',
            name: secret.metadata?.name ?? '',
            preconditions: { uid: secret.metadata?.uid ?? '' },
            tolerates: ['NotFound', 'Conflict'],
            reason: 'ServiceAccountGone',
            facts: {},
          },
        ],
      },
    ],
  };
}

// The cache holds token Secrets alone: a Secret of another type may have the name now.
function recheckSecret({ namespace, name, referrers }: ObservedTokenSecret): Plan {
  const target = { resource: secrets, namespace, name, tolerates: ['NotFound'] };
  return {
    steps: [{ actions: [{ verb: 'get', ...target, reason: 'RecheckSecret', facts: { secret: name } }] }],
    next: ([outcome]) =>
      outcome?.status === 'done' && outcome.error !== undefined ? dropReferences(name, referrers) : emptyPlan,
  };
}

function dropReferences(name: string, referrers: readonly ServiceAccount[]): Plan {
  return {
    steps: [
      {
        mode: 'parallel',
        actions: referrers.map((account) => ({
          verb: 'update',
          resource: serviceAccounts,
          namespace: account.metadata?.namespace ?? '',
          name: account.metadata?.name ?? '',
          object: {
            ...account,
            apiVersion: 'v1',
            kind: 'ServiceAccount',
            secrets: account.secrets?.filter((reference) => reference.name !== name),
          } as ServiceAccount,
          tolerates: ['NotFound'],
          reason: 'SecretGone',
          facts: { secret: name },
        })),
      },
    ],
  };
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
