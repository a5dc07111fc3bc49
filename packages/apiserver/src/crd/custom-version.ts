// One served version of a custom resource: reads bodies against its structural schema and shows stored objects in it, with
// keys in byte order. Where an object was written in this very version and schema, the stored bytes are what is sent.

import type { KindStrategy, ResourceInfo } from '@homeostat/api';
import type { ApiError } from '@homeostat/base';
import type { RequestBody } from '@homeostat/client';
import {
  asMap,
  encodeJson,
  FieldPath,
  type FieldError,
  invalid,
  type Json,
  type JsonMap,
  type KubeObject,
  type ListMeta,
  type Mutable,
  newBadRequest,
  newInvalid,
  parseApiVersion,
  stringifyJson,
  sortJson,
} from '@homeostat/machinery';
import type { ByteWriter } from '../endpoints/byte-writer.ts';
import { asYamlError, cannotHandle, decodeUntyped } from '../endpoints/decode-body.ts';
import { type JsonItem, joinFull } from '../endpoints/json-item.ts';
import type { UntypedReader } from '../endpoints/patch-target.ts';
import { type BodyOptions, ServedVersion } from '../endpoints/served-version.ts';
import type { ObjectVersion } from '../watch-cache/object-version.ts';
import type { CleanObjects } from './clean-objects.ts';
import { findUid } from './find-uid.ts';
import { canonicalMetadata, type VersionSchema } from './version-schema.ts';

export interface CustomVersionOptions {
  readonly info: ResourceInfo;
  readonly strategy: KindStrategy;
  readonly schema: VersionSchema;
  readonly clean: CleanObjects;
  /** Of all versions, by apiVersion. */
  readonly schemas: ReadonlyMap<string, VersionSchema>;
}

export class CustomVersion extends ServedVersion {
  override readonly isTyped = false;
  override readonly reader: UntypedReader;
  readonly schema: VersionSchema;
  readonly #clean: CleanObjects;
  readonly #schemas: ReadonlyMap<string, VersionSchema>;
  readonly #jsonForm = {};
  readonly #objectForm = {};

  constructor({ info, strategy, schema, schemas, clean }: CustomVersionOptions) {
    super(info, strategy, sortedHead(info.kind, schema.apiVersion));
    this.schema = schema;
    this.#clean = clean;
    this.#schemas = schemas;
    this.reader = {
      readPatched: (patched, unknown) => this.#readPatched(patched, unknown),
      readMerged: (merged) => ({ ...merged, metadata: { ...merged.metadata } }) as Mutable<KubeObject>,
      show: (patched) => stringifyJson(sortJson(patched)),
    };
  }

  override async readBody(body: RequestBody | undefined, options: BodyOptions): Promise<Mutable<KubeObject>> {
    const { value, apiVersion, kind, duplicates } = await decodeUntyped(body, options.contentType, this.info);
    if (apiVersion !== this.apiVersion) {
      const text = `the API version in the data (${apiVersion}) does not match the expected API version (${this.apiVersion})`;
      throw newBadRequest(text);
    }
    const unknown: string[] = [];
    let draft: Mutable<KubeObject>;
    try {
      draft = this.schema.admit(value, unknown);
    } catch (error) {
      throw newBadRequest(cannotHandle(this.info, this.info, error instanceof Error ? error.message : String(error)));
    }
    this.#report(duplicates, unknown, options);
    if (kind !== this.info.kind) throw this.#wrongType(draft, [wrongKind(kind, this.info.kind)]);
    this.applyDefaults(draft);
    return draft;
  }

  override applyDefaults(draft: Mutable<KubeObject>): void {
    this.schema.applyDefaults(draft);
  }

  override toStorage(draft: Mutable<KubeObject>): Mutable<KubeObject> {
    // The pipelines work on the request's version: its schema is what is validated. Storing converts.
    return draft;
  }

  override fromStorage(object: KubeObject): KubeObject {
    return object.apiVersion === this.apiVersion ? object : this.#restore(object);
  }

  override canonical(object: KubeObject): KubeObject {
    return sortJson(object as Json) as KubeObject;
  }

  override metadataOf(object: KubeObject): NonNullable<KubeObject['metadata']> {
    return canonicalMetadata(object.metadata);
  }

  override object(version: ObjectVersion): KubeObject {
    return version.form(this.#objectForm, () => withSortedVersion(this.#stored(version), version.revision));
  }

  override json(version: ObjectVersion): JsonItem {
    return version.form(this.#jsonForm, () => this.#cutSorted(version));
  }

  override fullJson(version: ObjectVersion, tail = ''): Uint8Array {
    return joinFull(this.head, this.json(version), version, tail);
  }

  override listFrame(metadata: ListMeta): { readonly head: string; readonly tail: string } {
    const kind = `"kind":${JSON.stringify(this.info.listKind)}`;
    const meta = stringifyJson(sortedListMeta(metadata));
    return {
      head: `{"apiVersion":${JSON.stringify(this.apiVersion)},"items":[`,
      tail: `],${kind},"metadata":${meta}}\n`,
    };
  }

  override writeListItem(writer: ByteWriter, version: ObjectVersion): void {
    writer.write(this.fullJson(version));
  }

  override list(metadata: ListMeta, items: readonly KubeObject[]): KubeObject {
    const { apiVersion, info } = this;
    return { apiVersion, items, kind: info.listKind, metadata: sortedListMeta(metadata) } as KubeObject;
  }

  #readPatched(patched: Json, unknown: string[]): Mutable<KubeObject> {
    const map = asMap(patched) ?? {};
    const { apiVersion, kind } = map as { readonly apiVersion?: Json; readonly kind?: Json };
    if (typeof kind !== 'string' || kind === '') {
      throw new Error(`Object 'Kind' is missing in '${stringifyJson(sortJson(patched))}'`);
    }
    const draft = this.schema.admit(map, unknown);
    const errors: FieldError[] = [];
    if (kind !== this.info.kind) errors.push(wrongKind(kind, this.info.kind));
    if (apiVersion !== this.apiVersion) {
      errors.push(invalid(new FieldPath('apiVersion'), apiVersion ?? '', `must be ${this.apiVersion}`));
    }
    if (errors.length > 0) throw this.#wrongType(draft, errors);
    return draft;
  }

  /** The object is named by what it says it is. */
  #wrongType(draft: KubeObject, errors: readonly FieldError[]): ApiError {
    const { group } = parseApiVersion(draft.apiVersion ?? '');
    return newInvalid({ group, kind: draft.kind ?? '' }, draft.metadata?.name ?? '', [...errors]);
  }

  #report(duplicates: readonly string[], unknown: readonly string[], options: BodyOptions): void {
    if (options.fieldValidation === 'Ignore') return;
    const isYaml = options.contentType.startsWith('application/yaml');
    const texts = unknown.map((path) => `unknown field "${path}"`);
    if (options.fieldValidation === 'Strict') {
      const problems = [...(isYaml ? asYamlError(duplicates) : duplicates), ...texts];
      if (problems.length === 0) return;
      throw newBadRequest(cannotHandle(this.info, this.info, `strict decoding error: ${problems.join(', ')}`));
    }
    for (const text of [...duplicates, ...texts]) options.warnings.add(text);
  }

  /** As this version shows it, without resourceVersion. */
  #stored(version: ObjectVersion): KubeObject {
    const { stored } = version;
    if (stored.apiVersion === this.apiVersion && this.#clean.has(version.holder)) return stored;
    return sortJson(this.#restore(stored) as Json) as KubeObject;
  }

  #restore(stored: KubeObject): KubeObject {
    return this.schema.restore(stored, this.#schemas.get(stored.apiVersion ?? ''));
  }

  #cutSorted(version: ObjectVersion): JsonItem {
    const object = this.#stored(version);
    const bytes = object === version.stored ? version.holder.bytes() : encodeJson(object);
    return this.#cut(bytes) ?? this.#whole(object, version);
  }

  #cut(bytes: Uint8Array): JsonItem | undefined {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const { head } = this;
    if (buffer.length < head.length || buffer.compare(head, 0, head.length, 0, head.length) !== 0) return undefined;
    const start = head.length + metadataHead.length;
    if (buffer.compare(metadataHead, 0, metadataHead.length, head.length, start) !== 0) return undefined;
    const at = findUid(buffer, start);
    return at < 0 ? undefined : { before: buffer.subarray(head.length, at), after: buffer.subarray(at) };
  }

  /** An object without uid, or with fields before metadata: the version goes in as a field, not between bytes. */
  #whole(object: KubeObject, version: ObjectVersion): JsonItem {
    const shown = withSortedVersion(object, version.revision);
    const { apiVersion: _apiVersion, kind: _kind, ...rest } = shown;
    return { before: new Uint8Array(), after: encodeJson(rest).subarray(1), complete: true };
  }
}

const metadataHead = Buffer.from('"metadata":{');

function sortedHead(kind: string, apiVersion: string): Uint8Array {
  return Buffer.from(`{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},`);
}

function wrongKind(kind: string, wanted: string): FieldError {
  return invalid(new FieldPath('kind'), kind, `must be ${wanted}`);
}

/** A list says where it goes on, even when it does not. */
function sortedListMeta(metadata: ListMeta): JsonMap {
  return sortJson({ continue: '', ...metadata, resourceVersion: metadata.resourceVersion ?? '' } as Json) as JsonMap;
}

/** A copy that carries its resourceVersion at its place among sorted fields. */
function withSortedVersion(object: KubeObject, revision: number): KubeObject {
  if (revision === 0) return object;
  const metadata: Record<string, unknown> = {};
  let placed = false;
  for (const [key, value] of Object.entries(object.metadata ?? {})) {
    if (!placed && key > 'resourceVersion') {
      metadata['resourceVersion'] = String(revision);
      placed = true;
    }
    metadata[key] = value;
  }
  if (!placed) metadata['resourceVersion'] = String(revision);
  return { ...object, metadata };
}
