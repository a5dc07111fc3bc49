// Merging a configuration into an object without recording who owns what: what mutating admission policies do.

import type { Json, Schema } from '../schema/schema.ts';
import { fieldTypeOf } from './field-type.ts';
import { mergeFields } from './merge.ts';

/**
 * `live` with the fields of `config` in their places, as server-side apply merges them: associative lists item by item,
 * atomic values as a whole. Neither is changed.
 *
 * @throws FieldTypeError when an item of an associative list can't be identified
 */
export function mergeConfiguration(schema: Schema, live: Json, config: Json): Json {
  return mergeFields(fieldTypeOf(schema), live, config) ?? null;
}
