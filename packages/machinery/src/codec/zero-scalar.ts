// What a scalar is when nobody set it, for every codec that has to say so.

import type { Json, ScalarSchema } from '../schema/schema.ts';

/** Go's zero value as JSON, for items of lists and maps. */
export function zeroScalar(schema: ScalarSchema): Json {
  switch (schema.type) {
    case 'string':
    case 'bytes':
      return '';
    case 'bool':
      return false;
    case 'quantity':
      return '0';
    case 'duration':
      return '0s';
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
    case 'float64':
    case 'intOrString':
      return 0;
    default:
      return null;
  }
}
