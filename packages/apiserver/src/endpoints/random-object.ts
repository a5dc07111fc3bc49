// Test support: random objects that fit a schema's types and often nothing else. Only for tests.

import type { Random } from '@homeostat/base';
import type { FieldSchema, Json, ListSchema, ScalarSchema, Schema, StructSchema } from '@homeostat/machinery';

const tame = ['a', 'b', 'a-b', 'example.com/a'];
const wild = [
  ...['', 'A b', '*', 'None', 'TCP', 'Always', '80', '10.0.0.9', 'fd00::1', '10.0.0.0/8', '1.5', '-1', '100Mi', 'v1'],
  ...['apps', 'Pod', 'get', 'metadata.name', 'self.x == 1', '0 0 * * *', 'x'.repeat(300)],
];
const numbers = [1, 1, 1, 1, 2, 2, 3, 30, 80, 0, 443, 65_535, 65_536, -1, 2_147_483_647];
const depthMax = 9;

/** What a server fills in, or what would make every object be refused. */
const leftOut = new Set([
  'managedFields',
  'resourceVersion',
  'uid',
  'generateName',
  'deletionTimestamp',
  'ownerReferences',
]);

export class RandomObjects {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A struct with each field there at a chance; required ones nearly always. */
  struct(schema: StructSchema, chance = 0.35, depth = 0): Record<string, Json> {
    const object: Record<string, Json> = {};
    for (const field of schema.fields) {
      if (leftOut.has(field.name) || depth > depthMax) continue;
      if (this.#random.float() < (field.required ? 0.97 : chance))
        object[field.name] = this.#field(field, chance, depth);
    }
    return object;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.#random.int(values.length)] as T;
  }

  /** Mostly what names look like: too much nonsense and nothing gets past validation. */
  #word(): string {
    return this.#random.float() < 0.8 ? this.pick(tame) : this.pick(wild);
  }

  #field(field: FieldSchema, chance: number, depth: number): Json {
    return this.#random.float() < 0.02 ? null : this.#value(field.schema, chance, depth + 1);
  }

  #value(schema: Schema, chance: number, depth: number): Json {
    switch (schema.kind) {
      case 'struct':
        return this.struct(schema, chance, depth);
      case 'list':
        return this.#list(schema, chance, depth);
      case 'map': {
        const entries = Array.from({ length: this.#random.int(3) }, (): [string, Json] => [
          this.#word(),
          this.#value(schema.values, chance, depth + 1),
        ]);
        return Object.fromEntries(entries);
      }
      case 'scalar':
        return this.#scalar(schema);
    }
  }

  #list(schema: ListSchema, chance: number, depth: number): Json {
    return Array.from({ length: this.#random.int(4) }, () => this.#value(schema.items, chance, depth + 1));
  }

  #scalar(schema: ScalarSchema): Json {
    if (schema.enum !== undefined && this.#random.float() < 0.9) return this.pick(schema.enum);
    switch (schema.type) {
      case 'bool':
        return this.#random.float() < 0.5;
      case 'int32':
      case 'int64':
      case 'uint32':
      case 'uint64':
        return Math.abs(this.pick(numbers));
      case 'float64':
        return this.pick([0, 0.5, 1e21]);
      case 'bytes':
        return this.pick(['', 'YQ==', 'LS0tLS1CRUdJTiBY']);
      case 'quantity':
        return this.pick(['0', '1', '100m', '1Gi', '-1', '1.5', '1e3']);
      case 'intOrString':
        return this.pick<Json>([0, 1, 80, '10%', 'http', '']);
      case 'time':
        return '2026-01-02T03:04:05Z';
      case 'microTime':
        return '2026-01-02T03:04:05.000006Z';
      case 'duration':
        return this.pick(['1s', '0s', '1h']);
      case 'rawExtension':
      case 'fieldsV1':
        return this.pick<Json>([{}, { kind: 'X', apiVersion: 'v1' }, { a: [1] }]);
      case 'json':
        return this.pick<Json>([{}, 1, 'x', null, [1]]);
      case 'jsonSchemaPropsOrBool':
      case 'jsonSchemaPropsOrArray':
      case 'jsonSchemaPropsOrStringArray':
        return {};
      case 'string':
        return this.#word();
    }
  }
}
