// Defaults are values too: they may have no unknown fields and must be valid, those in metadata as part of an object
// (`k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting`).

import { aggregateFieldErrors, type FieldError, type FieldPath, invalid } from '../field-error.ts';
import type { Json } from '../schema/schema.ts';
import { sortJson } from '../values/sort-json.ts';
import { coerceEmbedded, type CoerceOptions } from './coerce-metadata.ts';
import { asResourceRoot } from './compile-structural.ts';
import { isMetaField, pruneUnknown } from './prune-unknown.ts';
import type { RuleChecks } from './rule-checks.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { validateEmbedded, type ValidateObjectMeta } from './validate-embedded.ts';
import { validateOpenApi } from './validate-structural.ts';

export interface DefaultOptions {
  /** How metadata is read and checked; absent: defaults in metadata are not looked into. */
  readonly metadata?: CoerceOptions & { readonly validateObjectMeta: ValidateObjectMeta };
  /** Runs rules on defaults; absent: rules are not run. */
  readonly rules?: RuleChecks | undefined;
  /** Whether defaults may have no unknown fields. Not asked of a definition that already has such defaults. */
  readonly pruned: boolean;
}

/** Puts a value in the place of the node it is a default of, in an object that is otherwise empty. */
type Surround = (value: Json) => Json;

interface Place {
  /** The resource the node belongs to. */
  readonly resource: StructuralSchema;
  readonly surround: Surround;
  readonly insideMeta: boolean;
}

/** @param schema - from compileForDefaults() */
export function defaultErrors(schema: StructuralSchema, path: FieldPath, options: DefaultOptions): FieldError[] {
  const errors: FieldError[] = [];
  const root = asResourceRoot(schema);
  collect(root, path, { resource: root, surround: asResource, insideMeta: false }, options, errors);
  return errors;
}

/** Says what every resource says, over whatever a default would say. */
function asResource(value: Json): Json {
  return { ...(value as { readonly [key: string]: Json }), apiVersion: 'validation/v1', kind: 'Validation' };
}

function collect(
  schema: StructuralSchema,
  path: FieldPath,
  outer: Place,
  options: DefaultOptions,
  errors: FieldError[],
): void {
  if (!schema.has.defaults) return;
  const place = schema.embeddedResource ? { resource: schema, surround: asResource, insideMeta: false } : outer;
  if (schema.default !== undefined) {
    const check = place.insideMeta ? checkInMeta : checkDefault;
    errors.push(...check(schema.default, schema, place, path.child('default'), options));
  }
  const { surround } = place;
  if (schema.items !== undefined) {
    const inItem = { ...place, surround: (value: Json) => surround([value]) };
    collect(schema.items, path.child('items'), inItem, options, errors);
  }
  for (const [name, property] of schema.properties) {
    const inField = {
      ...place,
      surround: (value: Json) => surround({ [name]: value }),
      insideMeta: place.insideMeta || (schema.embeddedResource && isMetaField(name)),
    };
    collect(property, path.child('properties').key(name), inField, options, errors);
  }
}

function checkDefault(
  value: Json,
  schema: StructuralSchema,
  { resource }: Place,
  path: FieldPath,
  options: DefaultOptions,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (options.pruned && pruneUnknown(value, schema, { root: schema.embeddedResource }).value !== value) {
    errors.push(invalid(path, sortJson(value), 'must not have unknown fields'));
  }
  const { metadata } = options;
  if (metadata !== undefined) {
    const { error } = coerceEmbedded(value, schema, metadata);
    if (error !== undefined) {
      const field = `${String(path)}${error.field.startsWith('[') ? '' : '.'}${error.field}`;
      return [...errors, { ...error, field }];
    }
    const found = validateEmbedded(value, schema, metadata.validateObjectMeta, path);
    if (found.length > 0) return [...errors, ...found];
  }
  return [...errors, ...validateDefault(value, schema, resource, path, options)];
}

function checkInMeta(
  value: Json,
  schema: StructuralSchema,
  { resource, surround }: Place,
  path: FieldPath,
  options: DefaultOptions,
): readonly FieldError[] {
  const { metadata } = options;
  if (metadata === undefined) return validateDefault(value, schema, resource, path, options);
  const object = surround(value);
  const refuse = (texts: string): FieldError[] => [
    invalid(path, sortJson(value), `must result in valid metadata: ${texts}`),
  ];
  const { error } = coerceEmbedded(object, resource, metadata);
  if (error !== undefined) return refuse(`${error.field}: ${error.body}`);
  const found = validateEmbedded(object, resource, metadata.validateObjectMeta);
  if (found.length > 0) return refuse(aggregateFieldErrors(found));
  return validateDefault(value, schema, resource, path, options);
}

function validateDefault(
  value: Json,
  schema: StructuralSchema,
  resource: StructuralSchema,
  path: FieldPath,
  { rules }: DefaultOptions,
): readonly FieldError[] {
  const errors = validateOpenApi(value, schema, path);
  if (errors.length > 0 || !schema.has.rules) return errors;
  return rules?.checkDefault(value, schema, path, schema === resource) ?? [];
}
