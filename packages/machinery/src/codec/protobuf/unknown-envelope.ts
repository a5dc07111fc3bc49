// The envelope of Kubernetes protobuf: four magic bytes, then `runtime.Unknown` with the object's kind and its message
// (spec/apiserver.md §2.3).

import { DecodeError } from '../decode-error.ts';
import { ProtoReader } from './proto-reader.ts';
import { ProtoWriter } from './proto-writer.ts';

export interface UnknownEnvelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The object's own message. */
  readonly raw: Uint8Array;
  readonly contentEncoding?: string;
  readonly contentType?: string;
}

const magic = [0x6b, 0x38, 0x73, 0x00];

/** Whether bytes begin like enveloped protobuf. */
export function isEnveloped(bytes: Uint8Array): boolean {
  return magic.every((byte, i) => bytes[i] === byte);
}

/** Magic, kind and message. */
export function wrapUnknown({
  apiVersion,
  kind,
  raw,
  contentEncoding = '',
  contentType = '',
}: UnknownEnvelope): Uint8Array {
  const head = envelopeHead(apiVersion, kind, raw.length);
  const tail = envelopeTail(contentEncoding, contentType);
  const bytes = new Uint8Array(head.length + raw.length + tail.length);
  bytes.set(head);
  bytes.set(raw, head.length);
  bytes.set(tail, head.length + raw.length);
  return bytes;
}

/** Everything before the message. */
export function envelopeHead(apiVersion: string, kind: string, rawBytes: number): Uint8Array {
  const writer = new ProtoWriter();
  writer.varint(rawBytes);
  writer.tag(2, 2);
  const before = writer.length;
  writeText(kind, 2, writer);
  writeText(apiVersion, 1, writer);
  writer.closeMessage(before, 1);
  writer.bytes(Uint8Array.from(magic));
  return writer.finish();
}

/** Everything behind the message: content encoding and type, written even when empty. */
export function envelopeTail(contentEncoding = '', contentType = ''): Uint8Array {
  const writer = new ProtoWriter();
  writeText(contentType, 4, writer);
  writeText(contentEncoding, 3, writer);
  return writer.finish();
}

function writeText(text: string, number: number, writer: ProtoWriter): void {
  const before = writer.length;
  writer.string(text);
  writer.closeMessage(before, number);
}

/** Opens an envelope; `raw` is a view of the given bytes. @throws DecodeError with Go's text */
export function unwrapUnknown(bytes: Uint8Array): UnknownEnvelope {
  if (bytes.length === 0) throw new DecodeError('empty data');
  if (!isEnveloped(bytes)) {
    throw new DecodeError(
      `provided data does not appear to be a protobuf message, expected prefix [${magic.join(' ')}]`,
    );
  }
  if (bytes.length === magic.length) throw new DecodeError('empty body');
  const reader = new ProtoReader(bytes.subarray(magic.length));
  const envelope = {
    apiVersion: '',
    kind: '',
    raw: new Uint8Array() as Uint8Array,
    contentEncoding: '',
    contentType: '',
  };
  while (!reader.done) {
    const tag = reader.smallVarint();
    switch (tag) {
      case 0x0a:
        Object.assign(envelope, readTypeMeta(reader));
        break;
      case 0x12:
        envelope.raw = reader.bytes();
        break;
      case 0x1a:
        envelope.contentEncoding = reader.string();
        break;
      case 0x22:
        envelope.contentType = reader.string();
        break;
      default:
        reader.skip(tag & 7);
    }
  }
  return envelope;
}

function readTypeMeta(reader: ProtoReader): { apiVersion: string; kind: string } {
  const meta = { apiVersion: '', kind: '' };
  const outerEnd = reader.enter();
  while (!reader.done) {
    const tag = reader.smallVarint();
    if (tag === 0x0a) meta.apiVersion = reader.string();
    else if (tag === 0x12) meta.kind = reader.string();
    else reader.skip(tag & 7);
  }
  reader.leave(outerEnd);
  return meta;
}
