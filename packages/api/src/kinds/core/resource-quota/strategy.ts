// ResourceQuotas: bounds for what a namespace holds in all.

import {
  canonicalQuantity,
  compareQuantity,
  type FieldError,
  FieldPath,
  invalid,
  required,
} from '@homeostat/machinery';
import type { ResourceQuota, ResourceQuotaStatus } from '@homeostat/api/types/core-v1';
import type { KindStrategy } from '../../../strategy.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../../metadata/object-meta.ts';
import { nameIsDnsSubdomain } from '../../rules/names.ts';
import { defaultResourceList } from '../../rules/resource-lists.ts';
import { validateQuotaResourceName, validateResourceQuantity } from '../../rules/resource-names.ts';
import { immutableText, sortedKeys } from '../../rules/values.ts';
import { keepField } from '../../update-parts.ts';
import { validateScopes, validateScopeSelector } from './scopes.ts';

const metadataPath = new FieldPath('metadata');
const specPath = new FieldPath('spec');
const statusPath = new FieldPath('status');

export const resourceQuotaStrategy: KindStrategy<ResourceQuota> = {
  resetFields: [['status']],
  applyDefaults(draft) {
    defaultResourceList(draft.spec?.hard);
    defaultResourceList(draft.status?.hard);
    defaultResourceList(draft.status?.used);
  },
  prepareForCreate(draft) {
    delete draft.status;
  },
  validateCreate(quota) {
    const errors = validateKubeObjectMeta(
      quota.metadata ?? {},
      { namespaced: true, name: nameIsDnsSubdomain },
      metadataPath,
    );
    validateSpec(quota, errors);
    validateStatus(quota.status ?? {}, errors);
    return errors;
  },
  warningsOnCreate: warningsFor,
  prepareForUpdate: (draft, old) => keepField(draft, old, 'status'),
  validateUpdate(quota, old) {
    const errors = validateKubeObjectMetaUpdate(quota.metadata ?? {}, old.metadata ?? {}, metadataPath);
    validateSpec(quota, errors);
    const scopes = new Set<string>(quota.spec?.scopes);
    const oldScopes = new Set<string>(old.spec?.scopes);
    if (scopes.size !== oldScopes.size || [...scopes].some((scope) => !oldScopes.has(scope))) {
      errors.push(invalid(specPath.child('scopes'), quota.spec?.scopes ?? null, immutableText));
    }
    return errors;
  },
  subresources: {
    status: {
      resetFields: [['spec']],
      prepareForUpdate: (draft, old) => keepField(draft, old, 'spec'),
      validateUpdate(quota, old) {
        const errors = validateKubeObjectMetaUpdate(quota.metadata ?? {}, old.metadata ?? {}, metadataPath);
        if ((quota.metadata?.resourceVersion ?? '') === '') errors.push(required(new FieldPath('resourceVersion')));
        validateStatus(quota.status ?? {}, errors);
        return errors;
      },
    },
  },
};

function validateSpec(quota: ResourceQuota, errors: FieldError[]): void {
  const spec = quota.spec ?? {};
  validateAmounts(spec.hard, specPath.child('hard'), errors);
  validateScopes(spec, specPath.child('scopes'), errors);
  validateScopeSelector(spec, specPath.child('scopeSelector', 'matchExpressions'), errors);
}

function validateStatus(status: ResourceQuotaStatus, errors: FieldError[]): void {
  validateAmounts(status.hard, statusPath.child('hard'), errors);
  validateAmounts(status.used, statusPath.child('used'), errors);
}

function validateAmounts(list: ResourceQuotaStatus['hard'], path: FieldPath, errors: FieldError[]): void {
  for (const name of sortedKeys(list)) {
    validateQuotaResourceName(name, path.key(name), errors);
    validateResourceQuantity(name, list?.[name] ?? '0', path.key(name), errors);
  }
}

function warningsFor(quota: ResourceQuota): readonly string[] {
  const hard = quota.spec?.hard ?? {};
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((name) => {
    const plain = name === 'cpu' || name === 'memory' ? name : undefined;
    const requestName = hard[`requests.${name}`] === undefined && plain !== undefined ? plain : `requests.${name}`;
    const request = hard[requestName];
    const limit = hard[`limits.${name}`];
    if (request === undefined || limit === undefined || compareQuantity(request, limit) <= 0) return [];
    const [requested, limited] = [canonicalQuantity(request), canonicalQuantity(limit)];
    return [`ResourceQuota ${requestName} (${requested}) should be less than limits.${name} (${limited})`];
  });
}
