// OpenAPI 2 as protobuf, in the messages of gnostic's `openapi.v2`: what kubectl before 1.27 and client-go's
// `OpenAPISchema()` read, and nothing else. Values of any type are texts of JSON, which readers take as YAML.

import { ProtoWriter } from '@homeostat/machinery';
import type { JsonObject } from './openapi-types.ts';

/** Writes a value as field `number`; the writer works back to front. */
type Write = (writer: ProtoWriter, value: unknown, number: number) => void;

type Field = readonly [key: string, number: number, write: Write];

/** The document as an `openapi.v2.Document`. */
export function encodeSwagger(document: JsonObject): Uint8Array {
  const writer = new ProtoWriter();
  writeFields(writer, document, documentFields, 16);
  return writer.finish();
}

function writeFields(writer: ProtoWriter, object: JsonObject, fields: readonly Field[], extensions: number): void {
  for (const key of Object.keys(object).reverse()) {
    if (key.startsWith('x-')) entry(any)(writer, [key, object[key]], extensions);
  }
  for (const [key, number, write] of fields.toReversed()) {
    if (object[key] !== undefined) write(writer, object[key], number);
  }
}

/** Also when it is empty: for items of a list. */
const listedText: Write = (writer, value, number) => {
  enclosed(writer, number, () => writer.string(String(value)));
};

const text: Write = (writer, value, number) => {
  if (value !== '') listedText(writer, value, number);
};

/** Also when it is false: for members of a oneof. */
const chosenFlag: Write = (writer, value, number) => {
  writer.varint(value === true ? 1 : 0);
  writer.tag(number, 0);
};

const flag: Write = (writer, value, number) => {
  if (value === true) chosenFlag(writer, value, number);
};

const integer: Write = (writer, value, number) => {
  if (value === 0) return;
  writer.varint(Number(value));
  writer.tag(number, 0);
};

const double: Write = (writer, value, number) => {
  if (value === 0) return;
  writer.double(Number(value));
  writer.tag(number, 1);
};

/** The content of a message, under its length and tag. */
function enclosed(writer: ProtoWriter, number: number, content: () => void): void {
  const before = writer.length;
  content();
  writer.closeMessage(before, number);
}

const any: Write = (writer, value, number) => {
  enclosed(writer, number, () => text(writer, JSON.stringify(value), 2));
};

function message(fields: readonly Field[], extensions: number): Write {
  return (writer, value, number) => {
    enclosed(writer, number, () => writeFields(writer, value as JsonObject, fields, extensions));
  };
}

/** Something inside a message of its own, which holds nothing else: as field `inner`. */
function within(inner: number, write: Write): Write {
  return (writer, value, number) => enclosed(writer, number, () => write(writer, value, inner));
}

function repeated(write: Write): Write {
  return (writer, value, number) => {
    for (const item of (value as readonly unknown[]).toReversed()) write(writer, item, number);
  };
}

/** A name and its value. */
function entry(write: Write): Write {
  return (writer, value, number) => {
    const [name, named] = value as readonly [string, unknown];
    enclosed(writer, number, () => {
      write(writer, named, 2);
      text(writer, name, 1);
    });
  };
}

/** Every entry of an object. */
function entries(write: Write): Write {
  return (writer, value, number) => repeated(entry(write))(writer, Object.entries(value as object), number);
}

/** Defers to a writer that is defined further down. */
const lazily =
  (write: () => Write): Write =>
  (writer, value, number) =>
    write()(writer, value, number);

const texts = repeated(listedText);
const oneOrMore =
  (write: Write): Write =>
  (writer, value, number) =>
    repeated(write)(writer, Array.isArray(value) ? value : [value], number);

/** What limits a primitive value, from `default` on; the numbers follow each other. */
function limits(first: number): readonly Field[] {
  const kinds: readonly (readonly [string, Write])[] = [
    ['default', any],
    ['maximum', double],
    ['exclusiveMaximum', flag],
    ['minimum', double],
    ['exclusiveMinimum', flag],
    ['maxLength', integer],
    ['minLength', integer],
    ['pattern', text],
    ['maxItems', integer],
    ['minItems', integer],
    ['uniqueItems', flag],
    ['enum', repeated(any)],
    ['multipleOf', double],
  ];
  return kinds.map(([key, write], index) => [key, first + index, write]);
}

const additionalProperties: Write = (writer, value, number) => {
  if (typeof value === 'boolean') within(2, chosenFlag)(writer, value, number);
  else within(1, schema)(writer, value, number);
};

const schemaFields: readonly Field[] = [
  ['$ref', 1, text],
  ['format', 2, text],
  ['title', 3, text],
  ['description', 4, text],
  ['default', 5, any],
  ['multipleOf', 6, double],
  ['maximum', 7, double],
  ['exclusiveMaximum', 8, flag],
  ['minimum', 9, double],
  ['exclusiveMinimum', 10, flag],
  ['maxLength', 11, integer],
  ['minLength', 12, integer],
  ['pattern', 13, text],
  ['maxItems', 14, integer],
  ['minItems', 15, integer],
  ['uniqueItems', 16, flag],
  ['maxProperties', 17, integer],
  ['minProperties', 18, integer],
  ['required', 19, texts],
  ['enum', 20, repeated(any)],
  ['additionalProperties', 21, additionalProperties],
  ['type', 22, within(1, oneOrMore(listedText))],
  ['items', 23, within(1, oneOrMore(lazily(() => schema)))],
  ['allOf', 24, repeated(lazily(() => schema))],
  ['properties', 25, within(1, entries(lazily(() => schema)))],
  ['readOnly', 27, flag],
  ['example', 30, any],
];

const schema = message(schemaFields, 31);

const primitiveItems = message(
  [['type', 1, text], ['format', 2, text], ['collectionFormat', 4, text], ...limits(5)],
  18,
);

const pathOrHeaderParameter = message(
  [
    ['required', 1, flag],
    ['in', 2, text],
    ['description', 3, text],
    ['name', 4, text],
    ['type', 5, text],
    ['format', 6, text],
    ['items', 7, primitiveItems],
    ['collectionFormat', 8, text],
    ...limits(9),
  ],
  22,
);

const queryParameter = message(
  [
    ['required', 1, flag],
    ['in', 2, text],
    ['description', 3, text],
    ['name', 4, text],
    ['allowEmptyValue', 5, flag],
    ['type', 6, text],
    ['format', 7, text],
    ['items', 8, primitiveItems],
    ['collectionFormat', 9, text],
    ...limits(10),
  ],
  23,
);

const bodyParameter = message(
  [
    ['description', 1, text],
    ['name', 2, text],
    ['in', 3, text],
    ['required', 4, flag],
    ['schema', 5, schema],
  ],
  6,
);

const reference = message([['$ref', 1, text]], 0);

const parameter: Write = (writer, value, number) => {
  switch ((value as JsonObject)['in']) {
    case 'body':
      return within(1, bodyParameter)(writer, value, number);
    case 'header':
      return within(2, within(1, pathOrHeaderParameter))(writer, value, number);
    case 'path':
      return within(2, within(4, pathOrHeaderParameter))(writer, value, number);
    default:
      return within(2, within(3, queryParameter))(writer, value, number);
  }
};

const parameterOrReference: Write = (writer, value, number) => {
  if ((value as JsonObject)['$ref'] === undefined) within(1, parameter)(writer, value, number);
  else within(2, reference)(writer, value, number);
};

const response = message(
  [
    ['description', 1, text],
    ['schema', 2, within(1, schema)],
  ],
  5,
);

const securityRequirement = within(1, entries(within(1, texts)));

const operation = message(
  [
    ['tags', 1, texts],
    ['summary', 2, text],
    ['description', 3, text],
    ['operationId', 5, text],
    ['produces', 6, texts],
    ['consumes', 7, texts],
    ['parameters', 8, repeated(parameterOrReference)],
    ['responses', 9, within(1, entries(within(1, response)))],
    ['schemes', 10, texts],
    ['deprecated', 11, flag],
    ['security', 12, repeated(securityRequirement)],
  ],
  13,
);

const pathItem = message(
  [
    ['$ref', 1, text],
    ['get', 2, operation],
    ['put', 3, operation],
    ['post', 4, operation],
    ['delete', 5, operation],
    ['options', 6, operation],
    ['head', 7, operation],
    ['patch', 8, operation],
    ['parameters', 9, repeated(parameterOrReference)],
  ],
  10,
);

const info = message(
  [
    ['title', 1, text],
    ['version', 2, text],
    ['description', 3, text],
  ],
  7,
);

const apiKey = message(
  [
    ['type', 1, text],
    ['name', 2, text],
    ['in', 3, text],
    ['description', 4, text],
  ],
  5,
);

const documentFields: readonly Field[] = [
  ['swagger', 1, text],
  ['info', 2, info],
  ['host', 3, text],
  ['basePath', 4, text],
  ['schemes', 5, texts],
  ['consumes', 6, texts],
  ['produces', 7, texts],
  ['paths', 8, within(2, entries(pathItem))],
  ['definitions', 9, within(1, entries(schema))],
  ['parameters', 10, within(1, entries(parameter))],
  ['security', 12, repeated(securityRequirement)],
  ['securityDefinitions', 13, within(1, entries(within(2, apiKey)))],
];
