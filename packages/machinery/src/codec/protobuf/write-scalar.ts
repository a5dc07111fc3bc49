// The protobuf of scalars: plain ones by their wire type, those that are structs in Go as small messages.

import type { Json, ScalarSchema, ScalarType, StructSchema } from '../../schema/schema.ts';
import { parseDuration } from '../../values/duration.ts';
import { parseTime } from '../../values/time.ts';
import { decodeBase64 } from '../base64.ts';
import { stringifyJson } from '../json/encode-json.ts';
import { type MessagePlan, messagePlan } from './message-plan.ts';
import type { ProtoWriter } from './proto-writer.ts';

export const lengthDelimited = 2;

export function scalarWireType(type: ScalarType): number {
  switch (type) {
    case 'bool':
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      return 0;
    case 'float64':
      return 1;
    default:
      return lengthDelimited;
  }
}

type Members = Readonly<Record<string, Json | undefined>>;
type WriteMessage = (object: Members, plan: MessagePlan, writer: ProtoWriter) => void;

/** Writes the value without tag and length; undefined is Go's zero value. */
export function writeScalar(
  value: Json | undefined,
  schema: ScalarSchema,
  writer: ProtoWriter,
  writeStruct: WriteMessage,
): void {
  switch (schema.type) {
    case 'string':
      writer.string((value ?? '') as string);
      return;
    case 'bool':
      writer.varint(value === true ? 1 : 0);
      return;
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      writer.varint((value ?? 0) as number | bigint);
      return;
    case 'float64':
      writer.double((value ?? 0) as number);
      return;
    case 'bytes':
      writer.bytes(decodeBase64((value ?? '') as string));
      return;
    case 'quantity':
      writeText((value ?? '0') as string, 1, writer);
      return;
    case 'intOrString':
      writeIntOrString((value ?? 0) as number | string, writer);
      return;
    case 'time':
      if (value !== undefined) writeTimestamp(secondsOf(value as string), 0, writer);
      return;
    case 'microTime':
      if (value !== undefined) writeMicroTime(value as string, writer);
      return;
    case 'duration':
      writer.varint(value === undefined ? 0 : parseDuration(value as string));
      writer.tag(1, 0);
      return;
    case 'rawExtension':
    case 'fieldsV1':
    case 'json':
      if (value !== undefined) writeText(stringifyJson(value), 1, writer);
      return;
    case 'jsonSchemaPropsOrBool':
    case 'jsonSchemaPropsOrArray':
    case 'jsonSchemaPropsOrStringArray':
      writeSchemaProps(value, schema, writer, writeStruct);
  }
}

function writeText(text: string, number: number, writer: ProtoWriter): void {
  const before = writer.length;
  writer.string(text);
  writer.closeMessage(before, number);
}

function writeIntOrString(value: number | string, writer: ProtoWriter): void {
  const isText = typeof value === 'string';
  writeText(isText ? value : '', 3, writer);
  writer.varint(isText ? 0 : value);
  writer.tag(2, 0);
  writer.varint(isText ? 1 : 0);
  writer.tag(1, 0);
}

function writeMicroTime(text: string, writer: ProtoWriter): void {
  const seconds = secondsOf(text);
  const micros = Number(/\.(\d{6})/.exec(text)?.[1] ?? 0);
  writeTimestamp(seconds, micros * 1000, writer);
}

/** Objects hold canonical times, which every engine parses; anything else is read as Go reads it. */
function secondsOf(text: string): number {
  const isCanonical = text.length >= 20 && text.endsWith('Z') && text[10] === 'T';
  return Math.floor((isCanonical ? Date.parse(`${text.slice(0, 19)}Z`) : parseTime(text)) / 1000);
}

function writeTimestamp(seconds: number, nanos: number, writer: ProtoWriter): void {
  writer.varint(nanos);
  writer.tag(2, 0);
  writer.varint(seconds);
  writer.tag(1, 0);
}

// { 1: allows, 2: schema }, { 1: schema, 2: schemas }, { 1: schema, 2: strings }
function writeSchemaProps(
  value: Json | undefined,
  schema: ScalarSchema,
  writer: ProtoWriter,
  writeStruct: WriteMessage,
): void {
  const plan = messagePlan(schema.props as StructSchema);
  const writeOne = (props: Json, number: number): void => {
    const before = writer.length;
    writeStruct(props as Members, plan, writer);
    writer.closeMessage(before, number);
  };
  const isStruct = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (schema.type === 'jsonSchemaPropsOrBool') {
    if (isStruct) writeOne(value, 2);
    writer.varint(isStruct || value === true ? 1 : 0);
    writer.tag(1, 0);
    return;
  }
  if (isStruct) writeOne(value, 1);
  if (!Array.isArray(value)) return;
  const items = value as readonly Json[];
  for (let i = items.length - 1; i >= 0; i--) {
    const item = items[i] as Json;
    if (typeof item === 'string') writeText(item, 2, writer);
    else writeOne(item, 2);
  }
}
