// DeviceClass (resource.k8s.io/v1).

import type { DeviceClass } from '@homeostat/api/types/resource-v1';
import { FieldPath } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { validateResourceName } from '../rules/resource-names.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { validateConfiguration, validateSelectors } from './device-claim.ts';

const specPath = new FieldPath('spec');

export const deviceClassStrategy: KindStrategy<DeviceClass> = standardStrategy<DeviceClass>({
  kind: { group: 'resource.k8s.io', version: 'v1', kind: 'DeviceClass' },
  namespaced: false,
  generationFields: ['spec'],
  validate(object, errors, _old, { cel }) {
    const { selectors = [], config = [], extendedResourceName } = object.spec ?? {};
    validateSelectors(selectors, specPath.child('selectors'), errors, cel);
    for (const [index, entry] of config.entries())
      validateConfiguration(entry, specPath.child('config').index(index), errors);
    if (extendedResourceName !== undefined) {
      validateResourceName(extendedResourceName, specPath.child('extendedResourceName'), errors);
    }
  },
  more: { needsCel: ({ spec }) => (spec?.selectors ?? []).length > 0 },
});
