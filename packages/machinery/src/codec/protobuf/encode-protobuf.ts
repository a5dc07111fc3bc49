// Objects to protobuf as the marshalers generated for Kubernetes write them: fields ascending, scalars and structs that
// are no pointers always there, zero or not; pointers, lists and maps only when set; maps by key.

import type { Json, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from '../../schema/schema.ts';
import { sortedKeys } from '../sorted-keys.ts';
import { type MessagePlan, messagePlan, type PlanEntry } from './message-plan.ts';
import { ProtoWriter } from './proto-writer.ts';
import { lengthDelimited, scalarWireType, writeScalar } from './write-scalar.ts';

export type Members = Readonly<Record<string, Json | undefined>>;

const shared = new ProtoWriter();

/** The raw message of an object, without envelope: see wrapUnknown() for that. */
export function encodeProtobuf(object: object, schema: StructSchema): Uint8Array {
  shared.reset();
  writeMessage(object as Members, messagePlan(schema), shared);
  return shared.finish();
}

/** Writes those entries of a message that `include` lets through; back to front. */
export function writeMessage(
  object: Members,
  plan: MessagePlan,
  writer: ProtoWriter,
  include?: (entry: PlanEntry) => boolean,
): void {
  for (let i = plan.entries.length - 1; i >= 0; i--) {
    const entry = plan.entries[i] as PlanEntry;
    if (include !== undefined && !include(entry)) continue;
    if ('embedded' in entry) {
      const before = writer.length;
      writeMessage(object, entry.embedded, writer);
      writer.closeMessage(before, entry.number);
    } else {
      writeField(object[entry.field.name], entry.field.schema, entry.field.pointer, entry.number, writer);
    }
  }
}

function writeField(
  value: Json | undefined,
  schema: Schema,
  pointer: boolean,
  number: number,
  writer: ProtoWriter,
): void {
  const isSet = value !== undefined && value !== null;
  switch (schema.kind) {
    case 'struct':
      if (isSet || !pointer) writeStruct((value ?? {}) as Members, schema, number, writer);
      return;
    case 'list':
      if (isSet) writeList(value as readonly Json[], schema, number, writer);
      return;
    case 'map':
      if (isSet) writeMap(value as Members, schema, number, writer);
      return;
    case 'scalar':
      if (isSet || (!pointer && schema.type !== 'bytes')) writeTagged(value, schema, number, writer);
  }
}

function writeStruct(object: Members, schema: StructSchema, number: number, writer: ProtoWriter): void {
  const before = writer.length;
  writeMessage(object, messagePlan(schema), writer);
  writer.closeMessage(before, number);
}

function writeList(items: readonly Json[], schema: ListSchema, number: number, writer: ProtoWriter): void {
  if (schema.protoMessage === true) {
    const before = writer.length;
    writeItems(items, schema.items, 1, writer);
    writer.closeMessage(before, number);
  } else {
    writeItems(items, schema.items, number, writer);
  }
}

function writeItems(items: readonly Json[], schema: Schema, number: number, writer: ProtoWriter): void {
  for (let i = items.length - 1; i >= 0; i--) writeElement(items[i], schema, number, writer);
}

/** An item of a list or map is always written, as its zero value if need be. */
function writeElement(value: Json | undefined, schema: Schema, number: number, writer: ProtoWriter): void {
  switch (schema.kind) {
    case 'struct':
      writeStruct((value ?? {}) as Members, schema, number, writer);
      return;
    case 'list':
      writeList((value ?? []) as readonly Json[], schema, number, writer);
      return;
    case 'map':
      writeMap((value ?? {}) as Members, schema, number, writer);
      return;
    case 'scalar':
      writeTagged(value, schema, number, writer);
  }
}

function writeMap(map: Members, schema: MapSchema, number: number, writer: ProtoWriter): void {
  const keys = sortedKeys(map);
  for (let i = keys.length - 1; i >= 0; i--) {
    const key = keys[i] as string;
    const before = writer.length;
    writeElement(map[key], schema.values, 2, writer);
    const beforeKey = writer.length;
    writer.string(key);
    writer.closeMessage(beforeKey, 1);
    writer.closeMessage(before, number);
  }
}

function writeTagged(value: Json | undefined, schema: ScalarSchema, number: number, writer: ProtoWriter): void {
  const before = writer.length;
  writeScalar(value ?? undefined, schema, writer, writeMessage);
  const wireType = scalarWireType(schema.type);
  if (wireType === lengthDelimited) writer.closeMessage(before, number);
  else writer.tag(number, wireType);
}
