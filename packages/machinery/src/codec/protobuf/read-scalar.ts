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

/** Go's zero value as JSON, for items of lists and maps. */
export function zeroScalar(schema: ScalarSchema): Json {
  switch (schema.type) {
    case 'string':
    case 'bytes':
      return '';
    case 'bool':
      return false;
    case 'quantity':
      return '0';
    case 'duration':
      return '0s';
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
    case 'float64':
    case 'intOrString':
      return 0;
    default:
      return null;
  }
}

/** What a message of up to three fields held. */
interface Wrapped {
  readonly numbers: Map<number, number | bigint>;
  readonly texts: Map<number, Uint8Array[]>;
}

function readWrapped(reader: ProtoReader, schema: ScalarSchema, readStruct: ReadMessage): Json | undefined {
  const outerEnd = reader.enter();
  const result =
    schema.props === undefined
      ? readMessageScalar(readFields(reader), schema)
      : readSchemaProps(reader, schema, schema.props, readStruct);
  reader.leave(outerEnd);
  return result;
}

function readFields(reader: ProtoReader): Wrapped {
  const numbers = new Map<number, number | bigint>();
  const texts = new Map<number, Uint8Array[]>();
  while (!reader.done) {
    const tag = reader.smallVarint();
    const number = tag >>> 3;
    if ((tag & 7) === 0) numbers.set(number, reader.varint(false));
    else if ((tag & 7) === 2) texts.set(number, [...(texts.get(number) ?? []), reader.bytes()]);
    else reader.skip(tag & 7);
  }
  return { numbers, texts };
}

function readMessageScalar({ numbers, texts }: Wrapped, schema: ScalarSchema): Json | undefined {
  const text = (number: number): string => Buffer.from(texts.get(number)?.at(-1) ?? []).toString('utf8');
  switch (schema.type) {
    case 'quantity':
      return readQuantity(text(1));
    case 'intOrString':
      return Number(numbers.get(1) ?? 0) === 1 ? text(3) : Number(numbers.get(2) ?? 0) | 0;
    case 'time':
      return readTime(numbers, false);
    case 'microTime':
      return readTime(numbers, true);
    case 'duration':
      return formatDuration(BigInt(numbers.get(1) ?? 0));
    default: {
      const raw = texts.get(1)?.at(-1);
      return raw === undefined || raw.length === 0 ? undefined : decodeJson(raw);
    }
  }
}

function readQuantity(text: string): string {
  try {
    return canonicalQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) throw new DecodeError(error.message, { cause: error });
    throw error;
  }
}

function readTime(numbers: ReadonlyMap<number, number | bigint>, micro: boolean): string | undefined {
  const seconds = Number(numbers.get(1) ?? 0);
  const nanos = Number(numbers.get(2) ?? 0);
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
