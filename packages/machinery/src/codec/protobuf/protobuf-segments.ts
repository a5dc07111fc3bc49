// The protobuf counterpart of json/json-segments.ts: an object's message in the pieces that every answer shares. In
// protobuf the kind is part of the envelope, and resourceVersion (field 6 of ObjectMeta, always written) lies between
// the metadata's fields 1–5 and 7 and on.

import type { StructSchema } from '../../schema/schema.ts';
import type { ObjectKind } from '../json/json-segments.ts';
import { type Members, writeMessage } from './encode-protobuf.ts';
import { messagePlan } from './message-plan.ts';
import { ProtoWriter } from './proto-writer.ts';
import { envelopeHead, envelopeTail } from './unknown-envelope.ts';

const revisionField = 6;
const writer = new ProtoWriter();

export class ProtobufSegments {
  readonly #metadataHead: Uint8Array;
  readonly #metadataTail: Uint8Array;
  readonly #rest: Uint8Array;

  private constructor(metadataHead: Uint8Array, metadataTail: Uint8Array, rest: Uint8Array) {
    this.#metadataHead = metadataHead;
    this.#metadataTail = metadataTail;
    this.#rest = rest;
  }

  /** Encodes an object whose field 1 is `metadata`, as it is for every stored kind. */
  static of(object: object, schema: StructSchema): ProtobufSegments {
    const metadata = schema.byName.get('metadata');
    if (metadata?.schema.kind !== 'struct') throw new Error(`${schema.name} has no metadata to split`);
    const plan = messagePlan(metadata.schema);
    const members = object as Members;
    const metadataMembers = (members['metadata'] ?? {}) as Members;
    const piece = (write: () => void): Uint8Array => {
      writer.reset();
      write();
      return writer.finish();
    };
    return new ProtobufSegments(
      piece(() => writeMessage(metadataMembers, plan, writer, ({ number }) => number < revisionField)),
      piece(() => writeMessage(metadataMembers, plan, writer, ({ number }) => number > revisionField)),
      piece(() => writeMessage(members, messagePlan(schema), writer, ({ number }) => number > 1)),
    );
  }

  /** The raw message, in order, without copying what is shared: an item of a list. `''` is the stored form's revision. */
  parts(resourceVersion: string): readonly Uint8Array[] {
    writer.reset();
    writer.string(resourceVersion);
    writer.closeMessage(0, revisionField);
    const revision = writer.finish();
    writer.reset();
    writer.varint(this.#metadataHead.length + revision.length + this.#metadataTail.length);
    writer.tag(1, 2);
    return [writer.finish(), this.#metadataHead, revision, this.#metadataTail, this.#rest];
  }

  /** The message in its envelope: an answer to GET, an object of a watch frame, or (with revision `''`) the stored form. */
  enveloped(resourceVersion: string, { apiVersion, kind }: ObjectKind): readonly Uint8Array[] {
    const parts = this.parts(resourceVersion);
    const rawBytes = parts.reduce((sum, part) => sum + part.length, 0);
    return [envelopeHead(apiVersion, kind, rawBytes), ...parts, emptyTail];
  }
}

const emptyTail = envelopeTail();

/** A frame of a protobuf watch: four bytes of length, then `{ 1: type, 2: { 1: object } }` around an enveloped object. */
export function protobufWatchFrame(type: string, enveloped: readonly Uint8Array[]): readonly Uint8Array[] {
  const objectBytes = enveloped.reduce((sum, part) => sum + part.length, 0);
  writer.reset();
  writer.varint(objectBytes);
  writer.tag(1, 2);
  const inner = writer.length;
  writer.varint(inner + objectBytes);
  writer.tag(2, 2);
  const beforeType = writer.length;
  writer.string(type);
  writer.closeMessage(beforeType, 1);
  const head = writer.finish();
  const frame = new Uint8Array(4 + head.length);
  new DataView(frame.buffer).setUint32(0, head.length + objectBytes);
  frame.set(head, 4);
  return [frame, ...enveloped];
}
