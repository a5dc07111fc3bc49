// Reading a JSON patch (RFC 6902): a list of operations. What upstream checks while decoding is checked here; whether an
// operation makes sense is found out when it is applied.

import type { Json } from '../schema/schema.ts';
import { asList, asMap, getOwn, type JsonMap } from '../values/json-shapes.ts';
import { PatchError } from './patch-error.ts';

/** Operations of one patch the API server accepts. */
export const jsonPatchOperationsMax = 10_000;

/** One operation; absent members are absent in the patch. */
export interface JsonPatchOperation {
  readonly op?: Json;
  readonly path?: Json;
  readonly from?: Json;
  readonly value?: Json;
}

const members = ['op', 'path', 'from', 'value'] as const;

/**
 * Reads a patch document; null is the empty patch.
 *
 * @param checked whether members must have the right types (upstream checks them when field validation is on)
 * @throws PatchError malformed, with upstream's text
 */
export function decodeJsonPatch(document: Json, checked = true): readonly JsonPatchOperation[] {
  if (document === null) return [];
  const list = asList(document);
  if (list === undefined)
    throw mismatch(document, checked ? 'value of type []handlers.jsonPatchOp' : 'value of type jsonpatch.Patch');
  return list.map((item) => {
    if (item === null) return {};
    const map = asMap(item);
    if (map === undefined) {
      throw mismatch(item, checked ? 'value of type handlers.jsonPatchOp' : 'value of type jsonpatch.Operation');
    }
    if (checked) checkMembers(map);
    return toOperation(map);
  });
}

/** Members that no operation has, as upstream names them: `[0].extra`. */
export function unknownJsonPatchMembers(document: Json): readonly string[] {
  return (asList(document) ?? []).flatMap((item, index) =>
    Object.keys(asMap(item) ?? {})
      .filter((key) => !(members as readonly string[]).includes(key))
      .map((key) => `[${index}].${key}`),
  );
}

function toOperation(map: JsonMap): JsonPatchOperation {
  const out: Record<string, Json> = {};
  for (const name of members) {
    const value = getOwn(map, name);
    if (value !== undefined) out[name] = value;
  }
  return out;
}

function checkMembers(map: JsonMap): void {
  for (const name of ['op', 'path', 'from'] as const) {
    const value = getOwn(map, name);
    if (value !== undefined && value !== null && typeof value !== 'string') {
      throw mismatch(value, `struct field jsonPatchOp.${name} of type string`);
    }
  }
}

function mismatch(value: Json, target: string): PatchError {
  const prefix = target.includes('jsonpatch.') ? '' : 'error decoding patch: ';
  return new PatchError('malformed', `${prefix}json: cannot unmarshal ${jsonKind(value)} into Go ${target}`);
}

/** The kind of a JSON value, as encoding/json names it in messages. */
export function jsonKind(value: Json): string {
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
    case 'bigint':
      return 'number';
    default:
      return typeof value;
  }
}
