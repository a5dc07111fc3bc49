// References to kubelet configuration in ConfigMaps: a removed feature whose fields old Nodes may still carry.

import { type FieldError, type FieldPath, forbidden, invalid, isConfigMapKey, required } from '@homeostat/machinery';
import type { ConfigMapNodeConfigSource, NodeConfigSource, NodeConfigStatus } from '@homeostat/api/types/core-v1';
import { structByName } from '../../../scheme/scheme.ts';
import { toGoStruct } from '../../rules/go-struct.ts';
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../../rules/names.ts';
import { pushInvalid } from '../../rules/values.ts';

const sourceSchema = structByName('io.k8s.api.core.v1.NodeConfigSource');

export function validateConfigSource(
  source: NodeConfigSource | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (source === undefined) return;
  const at = path.child('configMap');
  const configMap = source.configMap;
  if (configMap === undefined) {
    pushNotOne(source, path, errors);
    return;
  }
  if ((configMap.uid ?? '') !== '') errors.push(forbidden(at.child('uid'), 'uid must not be set in spec'));
  if ((configMap.resourceVersion ?? '') !== '') {
    errors.push(forbidden(at.child('resourceVersion'), 'resourceVersion must not be set in spec'));
  }
  validateConfigMap(configMap, at, errors);
}

export function validateConfigStatus(
  status: NodeConfigStatus | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const field of ['assigned', 'active', 'lastKnownGood'] as const) {
    const source = status?.[field];
    if (source === undefined) continue;
    const at = path.child(field);
    const configMap = source.configMap;
    if (configMap === undefined) {
      pushNotOne(source, at, errors);
      continue;
    }
    for (const name of ['uid', 'resourceVersion'] as const) {
      if ((configMap[name] ?? '') === '') errors.push(required(at.child('configMap', name)));
    }
    validateConfigMap(configMap, at.child('configMap'), errors);
  }
}

function pushNotOne(source: NodeConfigSource, path: FieldPath, errors: FieldError[]): void {
  errors.push(invalid(path, toGoStruct(source, sourceSchema), 'exactly one reference subfield must be non-nil'));
}

function validateConfigMap(source: Partial<ConfigMapNodeConfigSource>, path: FieldPath, errors: FieldError[]): void {
  const { namespace = '', name = '', kubeletConfigKey: key = '' } = source;
  if (namespace === '') errors.push(required(path.child('namespace')));
  else pushInvalid(nameIsDnsLabel(namespace, false), namespace, path.child('namespace'), errors);
  if (name === '') errors.push(required(path.child('name')));
  else pushInvalid(nameIsDnsSubdomain(name, false), name, path.child('name'), errors);
  if (key === '') errors.push(required(path.child('kubeletConfigKey')));
  else pushInvalid(isConfigMapKey(key), key, path.child('kubeletConfigKey'), errors);
}
