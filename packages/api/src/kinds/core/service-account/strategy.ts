// ServiceAccounts.

import { type FieldError, FieldPath, type Mutable } from '@homeostat/machinery';
import type { ServiceAccount } from '@homeostat/api/types/core-v1';
import type { KindStrategy } from '../../../strategy.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../../metadata/object-meta.ts';
import { nameIsDnsSubdomain } from '../../rules/names.ts';

const metadataPath = new FieldPath('metadata');
const mountableAnnotation = 'kubernetes.io/enforce-mountable-secrets';

export const serviceAccountStrategy: KindStrategy<ServiceAccount> = {
  prepareForCreate: keepSecretNames,
  validateCreate: validateServiceAccount,
  warningsOnCreate: (account) => warningsFor(account, undefined),
  prepareForUpdate: keepSecretNames,
  validateUpdate: (account, old) => [
    ...validateKubeObjectMetaUpdate(account.metadata ?? {}, old.metadata ?? {}, metadataPath),
    ...validateServiceAccount(account),
  ],
  warningsOnUpdate: warningsFor,
};

function validateServiceAccount(account: ServiceAccount): FieldError[] {
  return validateKubeObjectMeta(account.metadata ?? {}, { namespaced: true, name: nameIsDnsSubdomain }, metadataPath);
}

/** Of a reference to a Secret only the name counts: it is in the account's namespace. */
function keepSecretNames(draft: Mutable<ServiceAccount>): void {
  if (draft.secrets === undefined) return;
  draft.secrets = draft.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

function warningsFor(account: ServiceAccount, old: ServiceAccount | undefined): readonly string[] {
  if (account.metadata?.annotations?.[mountableAnnotation] === undefined) return [];
  if (old?.metadata?.annotations?.[mountableAnnotation] !== undefined) return [];
  const at = metadataPath.child('annotations').key(mountableAnnotation);
  return [`${at.toString()}: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`];
}
