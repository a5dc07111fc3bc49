// Builds generated/schema.json: every type in the compact form that packages/api/src/scheme reads.
//
// A type is [fields, more?]; a field is [name, type, flags, proto, more?]:
//   type   a scalar (`string`), a struct (`PodSpec` of the same package, else its full name), `[listType:keys]items`,
//          `{mapType}values`; `;message` in brackets marks a list that is a protobuf message of its own, `;go=Name` a
//          named Go type
//   flags  p pointer, e omitempty, z omitzero, r required
//   proto  the field number, a path of numbers for fields of embedded structs, 0 for none
//   more   { default, enum, goType, mapType, embedded, patchStrategy, patchMergeKey }

import { type GoFacts, type GoField, type GoType, splitTypeName } from './go-facts.ts';
import type { OpenApiSchema } from './open-api-facts.ts';

type FieldRow = readonly unknown[];

export function buildSchemaFile(go: GoFacts, openApi: ReadonlyMap<string, OpenApiSchema>): string {
  const packages = new Map<string, string[]>();
  for (const name of Object.keys(go.types).sort()) {
    const { packageName, typeName } = splitTypeName(name);
    const lines = packages.get(packageName) ?? [];
    packages.set(packageName, lines);
    lines.push(`      ${JSON.stringify(typeName)}: ${JSON.stringify(typeRow(name, go, openApi))}`);
  }
  const packageTexts = [...packages].map(
    ([name, lines]) => `    ${JSON.stringify(name)}: {\n${lines.join(',\n')}\n    }`,
  );
  const kindTexts = Object.entries(go.kinds)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([apiVersion, kinds]) => `    ${JSON.stringify(apiVersion)}: ${JSON.stringify(kindRows(kinds))}`);
  return `{\n  "kinds": {\n${kindTexts.join(',\n')}\n  },\n  "packages": {\n${packageTexts.join(',\n')}\n  }\n}\n`;
}

/** Package → the kinds it defines for this apiVersion. */
function kindRows(kinds: Readonly<Record<string, string>>): Record<string, string[]> {
  const rows: Record<string, string[]> = {};
  for (const kind of Object.keys(kinds).sort()) {
    const { packageName, typeName } = splitTypeName(kinds[kind] ?? '');
    if (typeName !== kind) throw new Error(`kind ${kind} is defined by type ${typeName}`);
    (rows[packageName] ??= []).push(kind);
  }
  return rows;
}

function typeRow(name: string, go: GoFacts, openApi: ReadonlyMap<string, OpenApiSchema>): readonly unknown[] {
  const api = openApi.get(name);
  const fields = (go.types[name]?.fields ?? []).map((field) => fieldRow(name, field, api));
  const more = withoutUndefined({
    mapType: api?.['x-kubernetes-map-type'],
    unions: api?.['x-kubernetes-unions']?.map((union) =>
      withoutUndefined({
        discriminator: union.discriminator,
        fieldsToDiscriminateBy: union['fields-to-discriminateBy'],
      }),
    ),
  });
  return Object.keys(more).length === 0 ? [fields] : [fields, more];
}

function fieldRow(owner: string, field: GoField, struct: OpenApiSchema | undefined): FieldRow {
  const api = struct?.properties?.[field.name];
  if (struct !== undefined && api === undefined) throw new Error(`OpenAPI does not know ${owner}.${field.name}`);
  const nullable = field.type.ref !== undefined || field.type.scalar === 'time' || field.type.scalar === 'microTime';
  const omit = field.omitzero === true && (nullable || field.omitempty !== true) ? 'z' : field.omitempty ? 'e' : '';
  const required =
    struct === undefined ? omit === '' && field.pointer !== true : (struct.required ?? []).includes(field.name);
  const flags = `${field.pointer ? 'p' : ''}${omit}${required ? 'r' : ''}`;
  const proto = field.proto ?? [];
  const leaf = innermost(field.type, api);
  const more = withoutUndefined({
    default: statedDefault(api),
    enum: leaf.api?.enum,
    goType: leaf.type.goType,
    mapType: field.type.ref === undefined ? undefined : api?.['x-kubernetes-map-type'],
    embedded: field.embedded,
    patchStrategy: field.patchStrategy?.split(','),
    patchMergeKey: field.patchMergeKey,
  });
  const row = [
    field.name,
    typeText(field.type, api, owner),
    flags,
    proto.length === 1 ? proto[0] : proto.length === 0 ? 0 : proto,
  ];
  return Object.keys(more).length === 0 ? row : [...row, more];
}

function typeText(type: GoType, api: OpenApiSchema | undefined, owner: string): string {
  const goType = type.goType === undefined ? '' : `;go=${relativeName(type.goType, owner)}`;
  if (type.list !== undefined) {
    const keys = api?.['x-kubernetes-list-map-keys'];
    const listType = `${api?.['x-kubernetes-list-type'] ?? ''}${keys === undefined ? '' : `:${keys.join(',')}`}`;
    const brackets = `${listType}${type.message ? ';message' : ''}${goType}`;
    return `[${brackets}]${typeText(type.list, api?.items, owner)}`;
  }
  if (type.map !== undefined) {
    const braces = `${api?.['x-kubernetes-map-type'] ?? ''}${goType}`;
    return `{${braces}}${typeText(type.map, api?.additionalProperties, owner)}`;
  }
  const ref = type.ref === undefined ? undefined : relativeName(type.ref, owner);
  if (type.scalar !== undefined) return ref === undefined ? type.scalar : `${type.scalar}:${ref}`;
  if (ref === undefined) throw new Error(`a field of ${owner} has no type`);
  return ref;
}

function relativeName(name: string, owner: string): string {
  const { packageName, typeName } = splitTypeName(name);
  return packageName === splitTypeName(owner).packageName ? typeName : name;
}

function innermost(type: GoType, api: OpenApiSchema | undefined): { type: GoType; api: OpenApiSchema | undefined } {
  if (type.list !== undefined) return innermost(type.list, api?.items);
  if (type.map !== undefined) return innermost(type.map, api?.additionalProperties);
  return { type, api };
}

/** The default, unless it is the `{}` that OpenAPI prints for every struct. */
function statedDefault(api: OpenApiSchema | undefined): unknown {
  const value = api?.default;
  return typeof value === 'object' && value !== null ? undefined : value;
}

function withoutUndefined(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
