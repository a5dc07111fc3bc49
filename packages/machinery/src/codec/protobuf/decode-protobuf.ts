// Protobuf to a draft: the counterpart of encode-protobuf.ts. Zero values of fields that are no pointers are left out,
// as decodeObject() and canonicalize() would; fields the schema does not know are passed over.

import type { Json, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from '../../schema/schema.ts';
import { DecodeError } from '../decode-error.ts';
import type { Draft } from '../decode-object.ts';
import { setProperty } from '../json/parse-json.ts';
import { zeroScalar } from '../zero-scalar.ts';
import { type MessagePlan, messagePlan, type PlannedField } from './message-plan.ts';
import { ProtoReader } from './proto-reader.ts';
import { readScalar } from './read-scalar.ts';
import { lengthDelimited, scalarWireType } from './write-scalar.ts';

/** Reads a raw message, without envelope. @throws DecodeError */
export function decodeProtobuf<T = Draft>(bytes: Uint8Array, schema: StructSchema): T {
  return readMessage(new ProtoReader(bytes), messagePlan(schema), {}) as T;
}

/** Reads until the end of the span into the draft. */
export function readMessage(reader: ProtoReader, plan: MessagePlan, draft: Draft): Draft {
  while (!reader.done) {
    const tag = reader.smallVarint();
    const wireType = tag & 7;
    const entry = plan.byNumber.get(tag >>> 3);
    if (entry === undefined) {
      reader.skip(wireType);
    } else if ('embedded' in entry) {
      const outerEnd = enterMessage(reader, wireType, String(entry.number));
      readMessage(reader, entry.embedded, draft);
      reader.leave(outerEnd);
    } else {
      readField(reader, wireType, entry, draft);
    }
  }
  return draft;
}

function readField(reader: ProtoReader, wireType: number, { field }: PlannedField, draft: Draft): void {
  const { name, schema } = field;
  switch (schema.kind) {
    case 'struct':
      draft[name] = readStruct(reader, wireType, schema, name, (draft[name] ?? {}) as Draft);
      return;
    case 'list': {
      const items = (draft[name] ?? []) as Json[];
      draft[name] = items;
      readInto(reader, wireType, schema, name, items);
      return;
    }
    case 'map': {
      const map = (draft[name] ?? {}) as Draft;
      draft[name] = map;
      readEntry(reader, wireType, schema, name, map);
      return;
    }
    case 'scalar': {
      const value = readTyped(reader, wireType, schema, name);
      if (value !== undefined && (field.pointer || !isZero(value, schema))) draft[name] = value;
      else if (draft[name] !== undefined) delete draft[name];
    }
  }
}

function readStruct(reader: ProtoReader, wireType: number, schema: StructSchema, name: string, draft: Draft): Draft {
  const outerEnd = enterMessage(reader, wireType, name);
  readMessage(reader, messagePlan(schema), draft);
  reader.leave(outerEnd);
  return draft;
}

function enterMessage(reader: ProtoReader, wireType: number, name: string): number {
  if (wireType !== lengthDelimited) throw wrongWireType(wireType, name);
  return reader.enter();
}

function readInto(reader: ProtoReader, wireType: number, schema: ListSchema, name: string, items: Json[]): void {
  if (schema.protoMessage === true) {
    const outerEnd = enterMessage(reader, wireType, name);
    while (!reader.done) {
      const tag = reader.smallVarint();
      if (tag >>> 3 === 1) items.push(readElement(reader, tag & 7, schema.items, name));
      else reader.skip(tag & 7);
    }
    reader.leave(outerEnd);
    return;
  }
  const isPacked =
    wireType === lengthDelimited &&
    schema.items.kind === 'scalar' &&
    scalarWireType(schema.items.type) !== lengthDelimited;
  if (!isPacked) {
    items.push(readElement(reader, wireType, schema.items, name));
    return;
  }
  const outerEnd = reader.enter();
  while (!reader.done) items.push(readScalar(reader, schema.items as ScalarSchema, readMessage) ?? 0);
  reader.leave(outerEnd);
}

function readElement(reader: ProtoReader, wireType: number, schema: Schema, name: string): Json {
  switch (schema.kind) {
    case 'struct':
      return readStruct(reader, wireType, schema, name, {});
    case 'list': {
      const items: Json[] = [];
      readInto(reader, wireType, schema, name, items);
      return items;
    }
    case 'map': {
      const map: Draft = {};
      readEntry(reader, wireType, schema, name, map);
      return map;
    }
    case 'scalar':
      return readTyped(reader, wireType, schema, name) ?? zeroScalar(schema);
  }
}

function readEntry(reader: ProtoReader, wireType: number, schema: MapSchema, name: string, map: Draft): void {
  const outerEnd = enterMessage(reader, wireType, name);
  let key = '';
  let value: Json | undefined;
  while (!reader.done) {
    const tag = reader.smallVarint();
    const number = tag >>> 3;
    if (number === 1) key = reader.string();
    else if (number === 2) value = readElement(reader, tag & 7, schema.values, name);
    else reader.skip(tag & 7);
  }
  reader.leave(outerEnd);
  setProperty(map, key, value ?? zeroElement(schema.values));
}

function zeroElement(schema: Schema): Json {
  if (schema.kind === 'scalar') return zeroScalar(schema);
  return schema.kind === 'list' ? [] : {};
}

function readTyped(reader: ProtoReader, wireType: number, schema: ScalarSchema, name: string): Json | undefined {
  if (wireType !== scalarWireType(schema.type)) throw wrongWireType(wireType, name);
  return readScalar(reader, schema, readMessage);
}

function isZero(value: Json, schema: ScalarSchema): boolean {
  switch (schema.type) {
    case 'string':
      return value === '';
    case 'bool':
      return value === false;
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
    case 'float64':
      return value === 0;
    default:
      return false;
  }
}

function wrongWireType(wireType: number, name: string): DecodeError {
  return new DecodeError(
    `proto: wrong wireType = ${wireType} for field ${name.charAt(0).toUpperCase()}${name.slice(1)}`,
  );
}
