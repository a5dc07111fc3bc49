// Turns a request's body into a private draft of the expected kind: media type, syntax, kind and version, types, unknown
// and duplicate fields (spec/apiserver.md §2.1, §2.6, §8). Defaults are the caller's business.

import { schemaOf } from '@homeostat/api';
import { ApiError } from '@homeostat/base';
import type { RequestBody } from '@homeostat/client';
import {
  asMap,
  decodeBody as decodeTyped,
  decodeJson,
  decodeObject,
  decodeProtobuf,
  type GroupVersionKind,
  type Json,
  type KubeObject,
  type Mutable,
  newBadRequest,
  type StructSchema,
  toApiVersion,
  unwrapUnknown,
} from '@homeostat/machinery';
import type { WarningRecorder } from '../server/warnings.ts';
import { gvkOf, refuseKind } from './known-kinds.ts';
import { type MediaType, servedMediaTypes } from './media-types.ts';
import { readBytes } from './request-body.ts';
import type { FieldValidation } from './write-options.ts';

export interface DecodeOptions {
  readonly contentType: string;
  readonly expected: GroupVersionKind;
  readonly schema: StructSchema;
  readonly fieldValidation: FieldValidation;
  readonly warnings: WarningRecorder;
  /** Refuses bodies of another kind in words of its own; undefined: it can be taken. Default: those of the type registry. */
  readonly refuseKind?: (actual: GroupVersionKind, expected: GroupVersionKind) => Error | undefined;
  /** Media types this endpoint takes; default all. */
  readonly accepted?: readonly MediaType[];
}

const summaryBytes = 30;

/** @throws ApiError 400, 413, 415 */
export async function decodeBody(body: RequestBody | undefined, options: DecodeOptions): Promise<Mutable<KubeObject>> {
  if (body?.kind === 'object') return decodeValue(body.object as Json, [], options);
  const media = inputMedia(options.contentType, options.accepted ?? servedMediaTypes);
  return decodeBytes(await readBytes(body), media, options);
}

/** @throws ApiError 415 */
export function inputMedia(contentType: string, accepted: readonly MediaType[]): MediaType {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  if (type === '') return 'application/json';
  const media = accepted.find((candidate) => candidate === type);
  if (media !== undefined) return media;
  throw new ApiError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  });
}

export async function decodeBytes(
  bytes: Uint8Array,
  media: MediaType,
  options: DecodeOptions,
): Promise<Mutable<KubeObject>> {
  switch (media) {
    case 'application/vnd.kubernetes.protobuf':
      return decodeProtobufBody(bytes, options);
    case 'application/yaml': {
      const problems: string[] = [];
      // The YAML reader words its findings itself: `line 5: key "x" already set in map`.
      const onDuplicate =
        options.fieldValidation === 'Ignore' ? {} : { onDuplicate: (text: string) => void problems.push(text) };
      // The parser is large and few clients send YAML: loaded when the first does.
      const { decodeYaml } = await import('@homeostat/machinery/yaml');
      let value: Json;
      try {
        value = decodeYaml(bytes, onDuplicate);
      } catch (error) {
        throw unrecognized(options.expected.kind, textOf(error), bytes);
      }
      const found = options.fieldValidation === 'Strict' ? asYamlError(problems) : problems;
      return decodeValue(value, found, options, bytes);
    }
    case 'application/json':
      return decodeJsonBody(bytes, options);
  }
}

/**
 * One pass for the body as it should be. Whatever is wrong with it is found out again, slowly, in the order in which
 * upstream looks: syntax, kind, types.
 */
function decodeJsonBody(bytes: Uint8Array, options: DecodeOptions): Mutable<KubeObject> {
  const { expected } = options;
  const problems: string[] = [];
  let draft: Mutable<KubeObject> | undefined;
  let failure: unknown;
  try {
    draft = decodeTyped<Mutable<KubeObject>>(bytes, options.schema, reporting(options, problems));
  } catch (error) {
    failure = error;
  }
  const right =
    draft !== undefined &&
    (draft.kind === undefined || draft.kind === expected.kind) &&
    (draft.apiVersion === undefined || draft.apiVersion === toApiVersion(expected));
  if (draft === undefined || !right) {
    let value: Json;
    try {
      value = decodeJson(bytes);
    } catch (error) {
      throw unrecognized(expected.kind, `couldn't get version/kind; json parse error: ${textOf(error)}`, bytes);
    }
    const actual = checkKind(value, options, bytes);
    if (draft === undefined) throw newBadRequest(cannotHandle(actual, expected, textOf(failure)));
  }
  report(problems, expected, options);
  return withKind(draft, expected);
}

/** A refusal shows them as the YAML reader's one error of several lines. */
export function asYamlError(problems: readonly string[]): readonly string[] {
  return problems.length === 0 ? [] : [['yaml: unmarshal errors:', ...problems].join('\n  ')];
}

function reporting(
  options: DecodeOptions,
  problems: string[],
): { onUnknown?: (path: string) => void; onDuplicate?: (path: string) => void } {
  if (options.fieldValidation === 'Ignore') return {};
  return {
    onUnknown: (path) => void problems.push(`unknown field "${path}"`),
    onDuplicate: (path) => void problems.push(`duplicate field "${path}"`),
  };
}

export interface UntypedBody {
  readonly value: { readonly [key: string]: Json };
  readonly apiVersion: string;
  readonly kind: string;
  /** Repeated keys, in words. */
  readonly duplicates: readonly string[];
}

const unmarshalText = 'json: cannot unmarshal ';
const untypedMedia: readonly MediaType[] = ['application/json', 'application/yaml'];

/** Reads a body as plain JSON that says what it is: for kinds without a Go type. @throws ApiError 400, 413, 415 */
export async function decodeUntyped(
  body: RequestBody | undefined,
  contentType: string,
  expected: GroupVersionKind,
): Promise<UntypedBody> {
  const duplicates: string[] = [];
  let value: Json;
  let bytes: Uint8Array = new Uint8Array();
  if (body?.kind === 'object') value = body.object as Json;
  else {
    const media = inputMedia(contentType, untypedMedia);
    bytes = await readBytes(body);
    value = media === 'application/yaml' ? await readYaml() : readJson();
  }
  const map = asMap(value);
  if (map === undefined && value !== null) {
    const text = `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(value)} into Go value of type ${typeMetaText}`;
    throw unrecognized(expected.kind, text, bytes);
  }
  const apiVersion = stringField(map, 'apiVersion', expected.kind, bytes);
  const kind = stringField(map, 'kind', expected.kind, bytes);
  if (kind === '') {
    const text = `Object 'Kind' is missing in '${Buffer.from(bytes).toString('utf8')}'`;
    throw unrecognized(expected.kind, text, bytes);
  }
  return { value: map ?? {}, apiVersion, kind, duplicates };

  function readJson(): Json {
    try {
      return decodeJson(bytes, { onDuplicate: (path) => void duplicates.push(`duplicate field "${path}"`) });
    } catch (error) {
      const text = textOf(error);
      // The syntax is right, the value is too much: found out after version and kind were.
      if (text.startsWith(unmarshalText)) throw newBadRequest(cannotHandle(expected, expected, text));
      throw unrecognized(expected.kind, `couldn't get version/kind; json parse error: ${text}`, bytes);
    }
  }

  async function readYaml(): Promise<Json> {
    const { decodeYaml } = await import('@homeostat/machinery/yaml');
    try {
      return decodeYaml(bytes, { onDuplicate: (text) => void duplicates.push(text) });
    } catch (error) {
      throw unrecognized(expected.kind, textOf(error), bytes);
    }
  }
}

/** The kind a body says it is of. @throws ApiError when it is not one the endpoint takes */
function checkKind(value: Json, options: DecodeOptions, bytes: Uint8Array): GroupVersionKind {
  const { expected } = options;
  const object =
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, Json>>)
      : undefined;
  if (object === undefined && value !== null) {
    const text = `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(value)} into Go value of type ${typeMetaText}`;
    throw unrecognized(expected.kind, text, bytes);
  }
  const apiVersion = stringField(object, 'apiVersion', expected.kind, bytes);
  const kind = stringField(object, 'kind', expected.kind, bytes);
  const actual = versionOf(apiVersion, kind, expected, bytes);
  const refused = (options.refuseKind ?? refuseKind)(actual, expected);
  if (refused !== undefined) throw refused;
  return actual;
}

function decodeValue(
  value: Json,
  duplicates: readonly string[],
  options: DecodeOptions,
  bytes: Uint8Array = new Uint8Array(),
): Mutable<KubeObject> {
  const { expected } = options;
  const actual = checkKind(value, options, bytes);
  const problems = [...duplicates];
  const draft = typed(actual, expected, () =>
    decodeObject<Mutable<KubeObject>>(value ?? {}, options.schema, reporting(options, problems)),
  );
  report(problems, actual, options);
  return withKind(draft, expected);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function decodeProtobufBody(bytes: Uint8Array, options: DecodeOptions): Mutable<KubeObject> {
  const { expected } = options;
  let envelope;
  try {
    envelope = unwrapUnknown(bytes);
  } catch (error) {
    throw unrecognized(expected.kind, textOf(error), bytes);
  }
  const actual = gvkOf(envelope.apiVersion, envelope.kind, expected);
  const refused = (options.refuseKind ?? refuseKind)(actual, expected);
  if (refused !== undefined) throw refused;
  const schema = schemaOf(actual) ?? options.schema;
  const draft = typed(actual, expected, () => decodeProtobuf<Mutable<KubeObject>>(envelope.raw, schema));
  return withKind(draft, expected);
}

function versionOf(apiVersion: string, kind: string, expected: GroupVersionKind, bytes: Uint8Array): GroupVersionKind {
  try {
    return gvkOf(apiVersion, kind, expected);
  } catch (error) {
    throw unrecognized(expected.kind, textOf(error), bytes);
  }
}

/** Kind and version lead the object, as they do on the wire. */
function withKind(draft: Mutable<KubeObject>, gvk: GroupVersionKind): Mutable<KubeObject> {
  draft.kind = gvk.kind;
  draft.apiVersion = toApiVersion(gvk);
  draft.metadata ??= {};
  return draft;
}

function typed<T>(actual: GroupVersionKind, expected: GroupVersionKind, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw newBadRequest(cannotHandle(actual, expected, textOf(error)));
  }
}

export function cannotHandle(actual: GroupVersionKind, expected: GroupVersionKind, text: string): string {
  return `${actual.kind} in version ${JSON.stringify(actual.version)} cannot be handled as a ${expected.kind}: ${text}`;
}

function report(problems: readonly string[], actual: GroupVersionKind, options: DecodeOptions): void {
  if (problems.length === 0 || options.fieldValidation === 'Ignore') return;
  if (options.fieldValidation === 'Strict') {
    throw newBadRequest(cannotHandle(actual, options.expected, `strict decoding error: ${problems.join(', ')}`));
  }
  for (const problem of problems) options.warnings.add(problem);
}

const typeMetaText =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function stringField(
  object: Readonly<Record<string, Json>> | undefined,
  name: string,
  kind: string,
  bytes: Uint8Array,
): string {
  const value = object?.[name];
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw unrecognized(
    kind,
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(value)} into Go struct field .${name} of type string`,
    bytes,
  );
}

export function goKind(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'number';
  return typeof value;
}

export function unrecognized(kind: string, text: string, bytes: Uint8Array): ApiError {
  return newBadRequest(`the object provided is unrecognized (must be of type ${kind}): ${text} (${summarize(bytes)})`);
}

/** The beginning of a body for an error message: text when it may be JSON, else hex. */
function summarize(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const cut = Buffer.from(bytes.subarray(0, summaryBytes));
  const text = bytes[0] === 0x7b ? cut.toString('utf8') : cut.toString('hex');
  return bytes.length > summaryBytes ? `${text} ...` : text;
}
