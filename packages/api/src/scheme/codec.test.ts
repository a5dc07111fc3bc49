// The codecs of machinery against the facts of every built-in kind: bytes of a real etcd, and random objects.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  canonicalize,
  decodeBody,
  decodeProtobuf,
  encodeJson,
  encodeProtobuf,
  encodeYaml,
  isEnveloped,
  JsonSegments,
  parseApiVersion,
  ProtobufSegments,
  readTypeMeta,
  type StructSchema,
  stringifyJson,
  unwrapUnknown,
  wrapUnknown,
} from '@homeostat/machinery';
import { randomObject } from '@homeostat/machinery/testing';
import { decodeYaml } from '@homeostat/machinery/yaml';
import fc from 'fast-check';
import { kindsOf, knownApiVersions, schemaOf } from './scheme.ts';

interface EtcdEntry {
  readonly key: string;
  readonly value: string;
}

const entries = JSON.parse(
  readFileSync(new URL('./testdata/etcd-layout.json', import.meta.url), 'utf8'),
) as readonly EtcdEntry[];

function schemaOfType(apiVersion: string, kind: string): StructSchema | undefined {
  return schemaOf({ ...parseApiVersion(apiVersion), kind });
}

test('what a real API server keeps in etcd is decoded and encoded to the same bytes', () => {
  let protobufs = 0;
  let jsons = 0;
  for (const { key, value } of entries) {
    const bytes = Buffer.from(value, 'base64');
    if (isEnveloped(bytes)) {
      const { apiVersion, kind, raw } = unwrapUnknown(bytes);
      const schema = schemaOfType(apiVersion, kind);
      assert.ok(schema, key);
      const draft = decodeProtobuf<{ metadata: object }>(raw, schema);
      const object = canonicalize(draft, schema);
      for (const form of [draft, object]) {
        const again = wrapUnknown({ apiVersion, kind, raw: encodeProtobuf(form, schema) });
        assert.deepEqual(Buffer.from(again), bytes, key);
      }
      const segments = ProtobufSegments.of(object, schema);
      assert.deepEqual(Buffer.concat(segments.enveloped('', { apiVersion, kind })), bytes, key);
      protobufs++;
    } else {
      const text = bytes.toString('utf8');
      const { apiVersion, kind } = readTypeMeta(JSON.parse(text));
      const schema = schemaOfType(apiVersion, kind);
      if (schema === undefined) continue;
      assert.equal(`${stringifyJson(canonicalize(decodeBody(text, schema), schema))}\n`, text, key);
      jsons++;
    }
  }
  assert.ok(protobufs > 25 && jsons > 2);
});

const kinds = knownApiVersions().flatMap((apiVersion) =>
  kindsOf(parseApiVersion(apiVersion)).map((kind) => ({ apiVersion, kind })),
);
const arbitraryKind = fc.constantFrom(...kinds);

test('objects of every kind come back from JSON as they went', () => {
  fc.assert(
    fc.property(arbitraryKind, fc.integer(), ({ apiVersion, kind }, seed) => {
      const schema = schemaOfType(apiVersion, kind) as StructSchema;
      const object = canonicalize(decodeBody(stringifyJson(randomObject(schema, seed)), schema), schema);
      const findings: string[] = [];
      const again = decodeBody(encodeJson(object), schema, { onUnknown: (path) => findings.push(path) });
      assert.deepEqual(findings, []);
      assert.equal(stringifyJson(canonicalize(again, schema)), stringifyJson(object));
    }),
    { numRuns: 600 },
  );
});

test('objects of every kind come back from protobuf as they went', () => {
  fc.assert(
    fc.property(arbitraryKind, fc.integer(), ({ apiVersion, kind }, seed) => {
      const schema = schemaOfType(apiVersion, kind) as StructSchema;
      // Table and its parts have no protobuf form.
      fc.pre(schema.fields.every((field) => field.proto.length > 0 || /^(kind|apiVersion)$/.test(field.name)));
      const draft = decodeBody(stringifyJson(randomObject(schema, seed)), schema);
      const object = canonicalize(draft, schema, { emptyAsNull: true });
      const bytes = encodeProtobuf(object, schema);
      const again = canonicalize(decodeProtobuf<object>(bytes, schema), schema);
      assert.deepEqual(Buffer.from(encodeProtobuf(again, schema)), Buffer.from(bytes));
      assert.equal(stringifyJson(again), stringifyJson(object));
    }),
    { numRuns: 600 },
  );
});

test('objects of every kind come back from YAML as they went', () => {
  fc.assert(
    fc.property(arbitraryKind, fc.integer(), ({ apiVersion, kind }, seed) => {
      const schema = schemaOfType(apiVersion, kind) as StructSchema;
      const object = canonicalize(decodeBody(stringifyJson(randomObject(schema, seed)), schema), schema);
      const again = decodeBody(stringifyJson(decodeYaml(encodeYaml(object))), schema);
      assert.equal(stringifyJson(canonicalize(again, schema)), stringifyJson(object));
    }),
    { numRuns: 150 },
  );
});

test('JsonSegments of every kind say what encodeJson says', () => {
  fc.assert(
    fc.property(arbitraryKind, fc.integer(), ({ apiVersion, kind }, seed) => {
      const schema = schemaOfType(apiVersion, kind) as StructSchema;
      fc.pre(schema.byName.get('metadata')?.schema.kind === 'struct');
      const draft = { ...randomObject(schema, seed), kind, apiVersion };
      const object = canonicalize(decodeBody<{ metadata: object }>(stringifyJson(draft), schema), schema);
      const withRevision = canonicalize({ ...object, metadata: { ...object.metadata, resourceVersion: '42' } }, schema);
      const segments = JsonSegments.ofTyped(object, { apiVersion, kind });
      const bytes = segments.bytes({ resourceVersion: '42' });
      assert.equal(Buffer.from(bytes).toString('utf8'), stringifyJson(withRevision));
    }),
    { numRuns: 300 },
  );
});
