// "Invalid value: {...}" shows upstream's internal Go struct, which has no JSON names: Go field names, every field, nil as
// null. This file writes such values from what a few kinds say of their structs' fields; values whose Go type has JSON
// names (LabelSelector, OwnerReference) are printed as they are, without this.

/** A field: Go name, JSON name, and what stands for absence (`null` for pointers, slices and maps) or its own fields. */
export type GoField = readonly [
  goName: string,
  jsonName: string,
  absent: '' | 0 | false | null,
  inner?: readonly GoField[],
];

type Fields = Readonly<Record<string, unknown>>;

export function toGoForm(value: unknown, fields: readonly GoField[]): unknown {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.map((item) => toGoForm(item, fields));
  const source = value as Fields;
  const form: Record<string, unknown> = {};
  for (const [goName, jsonName, absent, inner] of fields) {
    const item = source[jsonName];
    if (item === undefined || item === null) form[goName] = absent;
    else form[goName] = inner === undefined ? item : toGoForm(item, inner);
  }
  return form;
}
