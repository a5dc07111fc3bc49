// Random objects of any type of the schema, for property tests: valid JSON of the type, with the values that break
// codecs (HTML characters, astral planes, keys that look like integers, 64-bit integers, negative numbers, zero values
// where Go tells nil from zero). The same seed gives the same object: use it as
// `fc.integer().map((seed) => randomObject(schema, seed))`.

import type { Json, ScalarSchema, Schema, StructSchema } from '../schema/schema.ts';

export interface RandomObjectOptions {
  /** Share of fields that are set, below the first level. Default 0.35. */
  readonly density?: number;
  /** How deep structs nest. Default 8. */
  readonly depthMax?: number;
}

/** A value of the struct's type. kind and apiVersion are left out: the caller knows them. */
export function randomObject(
  schema: StructSchema,
  seed: number,
  options: RandomObjectOptions = {},
): { [key: string]: Json } {
  return new ObjectMaker(seed, options).struct(schema, 0);
}

const texts = [
  '',
  'a',
  'nginx:1.27',
  'x'.repeat(60),
  '<b>&"quoted"\\</b>',
  'zwölf Boxkämpfer',
  '日本語 😀 𝕊',
  'line\nbreak\ttab',
  '\u2028\u2029\u007f',
  'null',
  'true',
  '0',
  ' padded ',
];
const keys = [
  'app',
  'app.kubernetes.io/name',
  '10',
  '9',
  '0',
  'Z',
  'a-b',
  'ä',
  '😀',
  '\uff5e',
  'x.y',
  '-1',
  'constructor',
];
const quantities = [
  '0',
  '1',
  '100m',
  '1500m',
  '1Gi',
  '128Mi',
  '1500',
  '12e6',
  '2k',
  '1n',
  '-5',
  '3Ti',
  '1.5Gi',
  '100M',
];
const times = ['2026-01-02T03:04:05Z', '1999-12-31T23:59:59Z', '2024-02-29T00:00:00Z', '1969-12-31T23:59:58Z'];
const microTimes = ['2026-01-02T03:04:05.000000Z', '2026-01-02T03:04:05.678901Z', '1969-12-31T23:59:58.000001Z'];
const durations = ['0s', '1m30s', '1.5s', '2h0m0s', '100ms', '-1h0m0s', '1ns'];
const blobs = ['', 'AA==', 'aGVsbG8=', '//79', 'AAECAwQFBgcICQo='];
const integers = [0, 1, -1, 7, 127, 128, 300, 65_536, -300, 2_147_483_647, -2_147_483_648];
const bigIntegers = [9_007_199_254_740_991, 9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n, 4_294_967_296];
const floats = [0, 1, -1.5, 0.1, 1e-7, 1e21, 123_456.789];
const free: readonly Json[] = [
  {},
  { a: 1, b: [true, null, 'x'], c: { d: '<&>' } },
  { 'f:spec': { 'f:x': {}, 'k:{"name":"a"}': { '.': {} } } },
];

class ObjectMaker {
  readonly #density: number;
  readonly #depthMax: number;
  #state: number;

  constructor(seed: number, { density = 0.35, depthMax = 8 }: RandomObjectOptions) {
    this.#state = seed | 0;
    this.#density = density;
    this.#depthMax = depthMax;
  }

  struct(schema: StructSchema, depth: number): { [key: string]: Json } {
    const object: { [key: string]: Json } = {};
    for (const field of schema.fields) {
      // Also in items of lists, whose kind is not part of their protobuf.
      const isTypeMeta = /^(kind|apiVersion)$/.test(field.name) && (depth === 0 || field.proto.length === 0);
      if (isTypeMeta) continue;
      const chance = depth === 0 ? 0.9 : field.required ? 0.8 : this.#density / (1 + depth / 4);
      const tooDeep = depth >= this.#depthMax && field.schema.kind !== 'scalar';
      if (!tooDeep && this.#next() < chance) object[field.name] = this.#value(field.schema, depth);
    }
    return object;
  }

  #value(schema: Schema, depth: number): Json {
    switch (schema.kind) {
      case 'struct':
        return this.struct(schema, depth + 1);
      case 'list':
        return Array.from({ length: this.#count() }, () => this.#value(schema.items, depth + 1));
      case 'map':
        return Object.fromEntries(
          Array.from({ length: this.#count() }, () => [this.#pick(keys), this.#value(schema.values, depth + 1)]),
        );
      case 'scalar':
        return this.#scalar(schema, depth);
    }
  }

  #scalar(schema: ScalarSchema, depth: number): Json {
    switch (schema.type) {
      case 'string':
        return schema.enum !== undefined && this.#next() < 0.7 ? this.#pick(schema.enum) : this.#pick(texts);
      case 'bool':
        return this.#next() < 0.5;
      case 'int32':
        return this.#pick(integers);
      case 'int64':
        return this.#pick([...integers, ...bigIntegers]);
      case 'uint32':
        return Math.abs(this.#pick(integers));
      case 'uint64':
        return this.#pick([0, 5, 18_446_744_073_709_551_615n]);
      case 'float64':
        return this.#pick(floats);
      case 'bytes':
        return this.#pick(blobs);
      case 'quantity':
        return this.#pick(quantities);
      case 'intOrString':
        return this.#next() < 0.5 ? this.#pick(integers) : this.#pick(['25%', 'http', '']);
      case 'time':
        return this.#pick(times);
      case 'microTime':
        return this.#pick(microTimes);
      case 'duration':
        return this.#pick(durations);
      case 'rawExtension':
      case 'fieldsV1':
        return this.#pick(free);
      case 'json':
        return this.#pick([...free, 1, 'text', true, [1, 2]]);
      default:
        return this.#schemaProps(schema, schema.props as StructSchema, depth);
    }
  }

  #schemaProps(schema: ScalarSchema, props: StructSchema, depth: number): Json {
    const one = (): Json => (depth >= this.#depthMax ? {} : this.struct(props, depth + 2));
    if (this.#next() < 0.5) return one();
    if (schema.type === 'jsonSchemaPropsOrBool') return this.#next() < 0.5;
    return schema.type === 'jsonSchemaPropsOrArray' ? [one()] : ['a', 'b'];
  }

  #count(): number {
    return Math.floor(this.#next() * 3.3);
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#next() * from.length)] as T;
  }

  /** Mulberry32: small, and good enough to vary test data. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }
}
