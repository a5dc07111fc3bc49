// From the JSON of `openAPIV3Schema` to the compiled form. Reads whatever it is given: whether a schema may be is the
// business of schema-errors.ts, and keywords that are refused there mean nothing here.

import type { Json } from '../schema/schema.ts';
import { compareBytewise } from '../values/go-strings.ts';
import { asList, asMap, type JsonMap } from '../values/json-shapes.ts';
import { type FormatCheck, formatCheckOf } from './formats.ts';
import { lazyPattern, type Pattern, PatternError } from './pattern.ts';
import type { Occurrences, StructuralSchema, ValidationRule } from './structural-schema.ts';

/**
 * Compiles a schema. The result shares parts of the input (defaults, enums, rules), which must not change afterwards.
 *
 * @param schema - `openAPIV3Schema`, or any node of one
 * @example
 * const schema = compileStructural(definition.spec.versions[0].schema.openAPIV3Schema);
 * const { errors } = validateStructural(object, schema);
 */
export function compileStructural(schema: Json | object): StructuralSchema {
  return compileNode(schema as Json, objectReading);
}

/**
 * Compiles a schema for its own defaults, which upstream holds to it less and more than objects: int-or-string asks for no
 * type, and formats count whatever the type.
 */
export function compileForDefaults(schema: Json | object): StructuralSchema {
  return compileNode(schema as Json, defaultReading);
}

/** What of a node values are held to. */
interface Reading {
  types(type: string, intOrString: boolean): readonly string[];
  format(type: string, format: string): FormatCheck | undefined;
}

const objectReading: Reading = {
  types: (type, intOrString) => (intOrString ? ['integer', 'string'] : typesOf(type)),
  format: formatCheckOf,
};
const defaultReading: Reading = {
  types: typesOf,
  format: (_type, format) => formatCheckOf('string', format) ?? { name: format, test: undefined },
};

function typesOf(type: string): readonly string[] {
  return type === '' ? [] : [type];
}

function compileNode(schema: Json, reading: Reading): StructuralSchema {
  const node = asMap(schema) ?? {};
  const properties = compileProperties(node['properties'], reading);
  const items = compileOptional(node['items'], reading);
  const additional = node['additionalProperties'];
  const additionalProperties = typeof additional === 'boolean' ? additional : compileOptional(additional, reading);
  const intOrString = node['x-kubernetes-int-or-string'] === true;
  const type = text(node['type']) ?? '';
  const format = text(node['format']);
  const own = {
    defaultValue: node['default'] ?? undefined,
    embeddedResource: node['x-kubernetes-embedded-resource'] === true,
    listType: text(node['x-kubernetes-list-type']) as StructuralSchema['listType'],
    validations: (asList(node['x-kubernetes-validations']) ?? []) as unknown as readonly ValidationRule[],
  };
  return {
    type,
    nullable: node['nullable'] === true,
    default: own.defaultValue,
    properties,
    items,
    additionalProperties,
    intOrString,
    preserveUnknownFields: node['x-kubernetes-preserve-unknown-fields'] === true,
    embeddedResource: own.embeddedResource,
    listType: own.listType,
    listMapKeys: texts(node['x-kubernetes-list-map-keys']),
    mapType: text(node['x-kubernetes-map-type']) as StructuralSchema['mapType'],
    validations: own.validations,
    format,
    enum: nonEmpty(asList(node['enum'])),
    maximum: number(node['maximum']),
    exclusiveMaximum: node['exclusiveMaximum'] === true,
    minimum: number(node['minimum']),
    exclusiveMinimum: node['exclusiveMinimum'] === true,
    multipleOf: number(node['multipleOf']),
    maxLength: number(node['maxLength']),
    minLength: number(node['minLength']),
    pattern: patternOf(text(node['pattern'])),
    maxItems: number(node['maxItems']),
    minItems: number(node['minItems']),
    maxProperties: number(node['maxProperties']),
    minProperties: number(node['minProperties']),
    required: texts(node['required']),
    allOf: compileList(node['allOf'], reading),
    anyOf: compileList(node['anyOf'], reading),
    oneOf: compileList(node['oneOf'], reading),
    not: compileOptional(node['not'], reading),
    types: reading.types(type, intOrString),
    checkedFormat: format === undefined ? undefined : reading.format(intOrString ? '' : type, format),
    has: occurrences(own, [...properties.values(), items, additionalProperties]),
  };
}

/** The root of a custom resource: its metadata, apiVersion and kind are there whatever the schema says. */
export function asResourceRoot(schema: StructuralSchema): StructuralSchema {
  if (schema.embeddedResource) return schema;
  return { ...schema, embeddedResource: true, has: { ...schema.has, embeddedResources: true } };
}

function compileProperties(value: Json | undefined, reading: Reading): ReadonlyMap<string, StructuralSchema> {
  const entries = Object.entries(asMap(value) ?? {}).sort(([a], [b]) => compareBytewise(a, b));
  return new Map(entries.map(([name, schema]) => [name, compileNode(schema, reading)]));
}

function compileOptional(value: Json | undefined, reading: Reading): StructuralSchema | undefined {
  return asMap(value) === undefined ? undefined : compileNode(value as JsonMap, reading);
}

function compileList(value: Json | undefined, reading: Reading): readonly StructuralSchema[] {
  return (asList(value) ?? []).map((clause) => compileNode(clause, reading));
}

// An expression that can't be read matches nothing: such a schema can't be created here, only be found in storage.
function patternOf(source: string | undefined): Pattern | undefined {
  if (source === undefined || source === '') return undefined;
  const pattern = lazyPattern(source);
  let shown = source;
  return {
    get source() {
      return shown;
    },
    test(text) {
      try {
        return pattern.test(text);
      } catch (error) {
        if (!(error instanceof PatternError)) throw error;
        shown = `${source}, but pattern is invalid: ${error.message}`;
        return false;
      }
    },
  };
}

interface Own {
  readonly defaultValue: Json | undefined;
  readonly embeddedResource: boolean;
  readonly listType: string | undefined;
  readonly validations: readonly ValidationRule[];
}

function occurrences(own: Own, children: readonly (StructuralSchema | boolean | undefined)[]): Occurrences {
  const below = children.filter((child) => typeof child === 'object').map((child) => child.has);
  return {
    defaults: own.defaultValue !== undefined || below.some((has) => has.defaults),
    embeddedResources: own.embeddedResource || below.some((has) => has.embeddedResources),
    associativeLists: own.listType === 'set' || own.listType === 'map' || below.some((has) => has.associativeLists),
    rules: own.validations.length > 0 || below.some((has) => has.rules),
  };
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function number(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : undefined;
}

function texts(value: Json | undefined): readonly string[] {
  return (asList(value) ?? []).filter((item) => typeof item === 'string');
}

function nonEmpty(list: readonly Json[] | undefined): readonly Json[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}
