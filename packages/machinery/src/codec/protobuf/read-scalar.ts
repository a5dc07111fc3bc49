// The counterpart of write-scalar.ts.

import type { Json, ScalarSchema, StructSchema } from '../../schema/schema.ts';
import { formatDuration } from '../../values/duration.ts';
import { canonicalQuantity, QuantityError } from '../../values/quantity.ts';
import { formatTime } from '../../values/time.ts';
import { encodeBase64 } from '../base64.ts';
import { DecodeError } from '../decode-error.ts';
import type { Draft } from '../decode-object.ts';
import { decodeJson } from '../json/decode-json.ts';
import { type MessagePlan, messagePlan } from './message-plan.ts';
import type { ProtoReader } from './proto-reader.ts';

type ReadMessage = (reader: ProtoReader, plan: MessagePlan, draft: Draft) => Draft;

/** Reads a value behind its tag; undefined is Go's zero value of types that are structs. */
export function readScalar(reader: ProtoReader, schema: ScalarSchema, readStruct: ReadMessage): Json | undefined {
  switch (schema.type) {
    case 'string':
      return reader.string();
    case 'bool':
      return reader.varint(true) !== 0;
    case 'int32':
      return Number(reader.varint(false)) | 0;
    case 'uint32':
      return Number(reader.varint(true)) >>> 0;
    case 'int64':
      return reader.varint(false);
    case 'uint64':
      return reader.varint(true);
    case 'float64':
      return reader.double();
    case 'bytes':
      return encodeBase64(reader.bytes());
    default:
      return readWrapped(reader, schema, readStruct);
  }
}

function readWrapped(reader: ProtoReader, schema: ScalarSchema, readStruct: ReadMessage): Json | undefined {
  const outerEnd = reader.enter();
  const result =
    schema.props === undefined
      ? readMessageScalar(reader, schema)
      : readSchemaProps(reader, schema, schema.props, readStruct);
  reader.leave(outerEnd);
  return result;
}

/** These messages have at most two numbers (fields 1 and 2) and one text (field 1, or 3 of an int-or-string). */
function readMessageScalar(reader: ProtoReader, schema: ScalarSchema): Json | undefined {
  let first: number | bigint = 0;
  let second: number | bigint = 0;
  let text: Buffer | undefined;
  while (!reader.done) {
    const tag = reader.smallVarint();
    const wireType = tag & 7;
    if (wireType === 0) {
      const value = reader.varint(false);
      if (tag >>> 3 === 1) first = value;
      else second = value;
    } else if (wireType === 2) {
      text = reader.bytes();
    } else {
      reader.skip(wireType);
    }
  }
  switch (schema.type) {
    case 'quantity':
      return readQuantity(toText(text));
    case 'intOrString':
      return Number(first) === 1 ? toText(text) : Number(second) | 0;
    case 'time':
    case 'microTime':
      return readTime(Number(first), Number(second), schema.type === 'microTime');
    case 'duration':
      return formatDuration(BigInt(first));
    default:
      return text === undefined || text.length === 0 ? undefined : decodeJson(text);
  }
}

function toText(bytes: Buffer | undefined): string {
  return bytes === undefined ? '' : bytes.toString('utf8');
}

function readQuantity(text: string): string {
  try {
    return canonicalQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) throw new DecodeError(error.message, { cause: error });
    throw error;
  }
}

function readTime(seconds: number, nanos: number, micro: boolean): string | undefined {
  if (seconds === 0 && nanos === 0) return undefined;
  const text = formatTime(seconds * 1000);
  return micro ? `${text.slice(0, -1)}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z` : text;
}

// { 1: allows, 2: schema }, { 1: schema, 2: schemas }, { 1: schema, 2: strings }
function readSchemaProps(
  reader: ProtoReader,
  schema: ScalarSchema,
  props: StructSchema,
  readStruct: ReadMessage,
): Json | undefined {
  const schemaNumber = schema.type === 'jsonSchemaPropsOrBool' ? 2 : 1;
  let allows = false;
  let one: Draft | undefined;
  const many: Json[] = [];
  const readOne = (): Draft => {
    const outerEnd = reader.enter();
    const draft = readStruct(reader, messagePlan(props), {});
    reader.leave(outerEnd);
    return draft;
  };
  while (!reader.done) {
    const tag = reader.smallVarint();
    const number = tag >>> 3;
    if ((tag & 7) === 0) allows = reader.varint(true) !== 0;
    else if ((tag & 7) !== 2 || number > 2) reader.skip(tag & 7);
    else if (number === schemaNumber) one = readOne();
    else many.push(schema.type === 'jsonSchemaPropsOrStringArray' ? reader.string() : readOne());
  }
  if (schema.type === 'jsonSchemaPropsOrBool') return one ?? allows;
  return many.length > 0 ? many : one;
}
