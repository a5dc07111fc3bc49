// ConfigMaps.

import {
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  isConfigMapKey,
  tooLong,
  utf8Length,
} from '@homeostat/machinery';
import type { ConfigMap } from '@homeostat/api/types/core-v1';
import type { KindStrategy } from '../../../strategy.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../../metadata/object-meta.ts';
import { base64Bytes } from '../../rules/base64.ts';
import { nameIsDnsSubdomain } from '../../rules/names.ts';
import { hasKey, pushInvalid, sortedKeys } from '../../rules/values.ts';
import { semanticEqual } from '../../semantic-equal.ts';

const metadataPath = new FieldPath('metadata');
const bytesMax = 1024 * 1024;

export const configMapStrategy: KindStrategy<ConfigMap> = {
  validateCreate: validateConfigMap,
  validateUpdate(configMap, old) {
    const errors = validateKubeObjectMetaUpdate(configMap.metadata ?? {}, old.metadata ?? {}, metadataPath);
    if (old.immutable === true) validateImmutable(configMap, old, errors);
    return [...errors, ...validateConfigMap(configMap)];
  },
};

function validateConfigMap(configMap: ConfigMap): FieldError[] {
  const { data, binaryData } = configMap;
  const errors = validateKubeObjectMeta(
    configMap.metadata ?? {},
    { namespaced: true, name: nameIsDnsSubdomain },
    metadataPath,
  );
  let size = 0;
  for (const key of sortedKeys(data)) {
    const at = new FieldPath('data').key(key);
    pushInvalid(isConfigMapKey(key), key, at, errors);
    if (hasKey(binaryData, key)) errors.push(invalid(at, key, 'duplicate of key present in binaryData'));
    size += utf8Length(data?.[key] ?? '');
  }
  for (const key of sortedKeys(binaryData)) {
    pushInvalid(isConfigMapKey(key), key, new FieldPath('binaryData').key(key), errors);
    size += base64Bytes(binaryData?.[key] ?? '');
  }
  if (size > bytesMax) errors.push(tooLong(new FieldPath('[]'), bytesMax));
  return errors;
}

function validateImmutable(configMap: ConfigMap, old: ConfigMap, errors: FieldError[]): void {
  const text = 'field is immutable when `immutable` is set';
  if (configMap.immutable !== true) errors.push(forbidden(new FieldPath('immutable'), text));
  for (const field of ['data', 'binaryData'] as const) {
    if (!semanticEqual(configMap[field] ?? {}, old[field] ?? {})) errors.push(forbidden(new FieldPath(field), text));
  }
}
