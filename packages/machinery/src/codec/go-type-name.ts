// The names Go gives types in its messages: `v1.PodSpec`, `[]string`, `map[string]string`, `v1.ResourceList`.

import type { ScalarType, Schema } from '../schema/schema.ts';

const scalarNames: Readonly<Record<ScalarType, string>> = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  uint32: 'uint32',
  uint64: 'uint64',
  float64: 'float64',
  bytes: '[]uint8',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  time: 'v1.Time',
  microTime: 'v1.MicroTime',
  duration: 'v1.Duration',
  rawExtension: 'runtime.RawExtension',
  fieldsV1: 'v1.FieldsV1',
  json: 'v1.JSON',
  jsonSchemaPropsOrBool: 'v1.JSONSchemaPropsOrBool',
  jsonSchemaPropsOrArray: 'v1.JSONSchemaPropsOrArray',
  jsonSchemaPropsOrStringArray: 'v1.JSONSchemaPropsOrStringArray',
};

/** As `reflect.Type.String()` prints the type. */
export function goTypeName(schema: Schema): string {
  switch (schema.kind) {
    case 'struct':
      return shortName(schema.name);
    case 'list':
      return schema.goType === undefined ? `[]${goTypeName(schema.items)}` : shortName(schema.goType);
    case 'map':
      return schema.goType === undefined ? `map[string]${goTypeName(schema.values)}` : shortName(schema.goType);
    case 'scalar':
      return schema.goType === undefined ? scalarNames[schema.type] : shortName(schema.goType);
  }
}

/** `io.k8s.api.core.v1.PodSpec` → `v1.PodSpec`. */
function shortName(name: string): string {
  return name.split('.').slice(-2).join('.');
}
