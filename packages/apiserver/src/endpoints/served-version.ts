// One served version of a stored resource: reads what clients send in it and shows stored objects in it, in every form
// the wire knows. Where the served version is the storage version nothing is converted and bytes are shared.

import { convertObject, type KindStrategy, type ResourceInfo } from '@homeostat/api';
import type { RequestBody } from '@homeostat/client';
import {
  applySchemaDefaults,
  canonicalize,
  encodeJson,
  encodeProtobuf,
  type KubeObject,
  type ListMeta,
  type Mutable,
  toApiVersion,
  wrapUnknown,
} from '@homeostat/machinery';
import { type ObjectVersion, withResourceVersion } from '../watch-cache/object-version.ts';
import type { ByteWriter } from './byte-writer.ts';
import { decodeBody, type DecodeOptions } from './decode-body.ts';
import type { UntypedReader } from './patch-target.ts';
import { cutJson, joinFull, type JsonItem, jsonHead, writeListItem } from './json-item.ts';

/** How a body is read, beyond what the version itself knows. */
export type BodyOptions = Pick<DecodeOptions, 'contentType' | 'fieldValidation' | 'warnings'>;

/** The version of a kind with a Go type; custom resources have one of their own (`crd/custom-version.ts`). */
export class ServedVersion {
  readonly info: ResourceInfo;
  readonly apiVersion: string;
  readonly head: Uint8Array;
  readonly isStorage: boolean;
  /** Whether the kind has a Go type, and with it a protobuf message. */
  readonly isTyped: boolean = true;
  /** How patched objects without a Go type are read back; absent for all others. */
  readonly reader?: UntypedReader;
  readonly #strategy: KindStrategy;
  readonly #jsonForm = {};
  readonly #protobufForm = {};
  readonly #objectForm = {};

  /** @param head - how every full object of this version begins */
  constructor(info: ResourceInfo, strategy: KindStrategy, head?: Uint8Array) {
    this.info = info;
    this.apiVersion = toApiVersion(info);
    this.head = head ?? jsonHead(info.kind, this.apiVersion);
    this.isStorage = info.group === info.storage.group && info.version === info.storage.version;
    this.#strategy = strategy;
  }

  /** The private draft a body stands for, with defaults. @throws ApiError 400, 413, 415 */
  async readBody(body: RequestBody | undefined, options: BodyOptions): Promise<Mutable<KubeObject>> {
    const draft = await decodeBody(body, { ...options, expected: this.info, schema: this.info.schema });
    this.applyDefaults(draft);
    return draft;
  }

  /** Fills in the defaults of this version, in place. */
  applyDefaults(draft: Mutable<KubeObject>): void {
    applySchemaDefaults(draft, this.info.schema);
    this.#strategy.applyDefaults?.(draft as never);
  }

  /** A private draft of the storage version from a private draft of this one. */
  toStorage(draft: Mutable<KubeObject>): Mutable<KubeObject> {
    if (this.isStorage) return draft;
    return convertObject(draft as KubeObject, this.info, this.info.storage) as Mutable<KubeObject>;
  }

  /** An object of the storage version in this one; shared with its argument where nothing differs. */
  fromStorage(object: KubeObject): KubeObject {
    if (this.isStorage) return object;
    const converted = convertObject(object, this.info.storage, this.info);
    return canonicalize(converted, this.info.schema) as KubeObject;
  }

  /** An object in the form of this version: fields in order, empty ones left out. */
  canonical(object: KubeObject): KubeObject {
    return canonicalize(object, this.info.schema) as KubeObject;
  }

  /** Metadata as its Go type writes it, for answers that show nothing else. */
  metadataOf(object: KubeObject): NonNullable<KubeObject['metadata']> {
    return object.metadata ?? {};
  }

  /** What stands before and after the items of a list. */
  listFrame(metadata: ListMeta): { readonly head: string; readonly tail: string } {
    const meta = Buffer.from(encodeJson(metadata)).toString('utf8');
    const kind = `"kind":${JSON.stringify(this.info.listKind)},"apiVersion":${JSON.stringify(this.apiVersion)}`;
    return { head: `{${kind},"metadata":${meta},"items":[`, tail: ']}\n' };
  }

  /** One item of a list: without kind and apiVersion, which the list states. */
  writeListItem(writer: ByteWriter, version: ObjectVersion): void {
    writeListItem(writer, this.json(version), version);
  }

  /** A list as a value. */
  list(metadata: ListMeta, items: readonly KubeObject[]): KubeObject {
    const bare = items.map(({ kind: _kind, apiVersion: _apiVersion, ...rest }) => rest);
    return { kind: this.info.listKind, apiVersion: this.apiVersion, metadata, items: bare } as KubeObject;
  }

  /** In this version, with resourceVersion. Shared: never change it. */
  object(version: ObjectVersion): KubeObject {
    if (this.isStorage) return version.object;
    return version.form(this.#objectForm, () => this.fromStorage(version.object));
  }

  json(version: ObjectVersion): JsonItem {
    return version.form(this.#jsonForm, () => this.#cut(version));
  }

  /** The whole object as JSON, with `tail` after it. */
  fullJson(version: ObjectVersion, tail = ''): Uint8Array {
    return joinFull(this.head, this.json(version), version, tail);
  }

  /** The raw message, as list items and envelopes hold it. */
  protobuf(version: ObjectVersion): Uint8Array {
    return version.form(this.#protobufForm, () => encodeProtobuf(this.object(version), this.info.schema));
  }

  /** The message in its envelope, as bodies and watch events hold it. */
  fullProtobuf(version: ObjectVersion): Uint8Array {
    return wrapUnknown({ apiVersion: this.apiVersion, kind: this.info.kind, raw: this.protobuf(version) });
  }

  #cut(version: ObjectVersion): JsonItem {
    const stored = this.isStorage ? cutJson(version.holder.bytes(), this.head) : undefined;
    if (stored !== undefined) return stored;
    const bytes = encodeJson(this.fromStorage(version.stored));
    const cut = cutJson(bytes, this.head);
    if (cut !== undefined) return cut;
    // An object without uid (some are made before there is one): the version goes in as a field, not between bytes.
    const whole =
      version.revision === 0
        ? this.fromStorage(version.stored)
        : withResourceVersion(this.fromStorage(version.stored), String(version.revision));
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = whole;
    const inner = encodeJson(rest);
    return { before: new Uint8Array(), after: inner.subarray(1), complete: true };
  }
}
