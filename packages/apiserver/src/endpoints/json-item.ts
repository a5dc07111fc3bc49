// The JSON of one stored object, cut where its resourceVersion belongs. GET, LIST items, watch frames and the stored
// form share these bytes (design law 7): nothing is serialised again to change the revision or to leave out the kind.

import type { ObjectVersion } from '../watch-cache/object-version.ts';
import type { ByteWriter } from './byte-writer.ts';

export interface JsonItem {
  /** From the first field after kind and apiVersion up to the place of resourceVersion, without braces. */
  readonly before: Uint8Array;
  /** From there to the end, closing brace included. */
  readonly after: Uint8Array;
  /** The resourceVersion is inside already (objects without a uid to put it after). */
  readonly complete?: boolean;
}

/** `{"kind":"Pod","apiVersion":"v1",`: how every full object of a kind begins. */
export function jsonHead(kind: string, apiVersion: string): Uint8Array {
  return Buffer.from(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`);
}

const uidMark = Buffer.from('"uid":"');
const quoteByte = 0x22;

/** Cuts canonical JSON that starts with `head`; undefined when it doesn't, or has no uid to put the version after. */
export function cutJson(bytes: Uint8Array, head: Uint8Array): JsonItem | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length < head.length || buffer.compare(head, 0, head.length, 0, head.length) !== 0) return undefined;
  // Only name, generateName, namespace and selfLink stand before uid, and none of them can hold a quote.
  const mark = buffer.indexOf(uidMark, head.length);
  if (mark < 0) return undefined;
  const end = buffer.indexOf(quoteByte, mark + uidMark.length);
  if (end < 0) return undefined;
  return { before: buffer.subarray(head.length, end + 1), after: buffer.subarray(end + 1) };
}

function versionField(item: JsonItem, version: ObjectVersion): string {
  return version.revision === 0 || item.complete === true ? '' : `,"resourceVersion":"${version.revision}"`;
}

/** The whole object as one buffer, with an optional tail (the newline of a body). */
export function joinFull(head: Uint8Array, item: JsonItem, version: ObjectVersion, tail = ''): Uint8Array {
  const rv = versionField(item, version);
  const out = Buffer.allocUnsafe(head.length + item.before.length + rv.length + item.after.length + tail.length);
  out.set(head, 0);
  let at = head.length;
  out.set(item.before, at);
  at += item.before.length;
  at += out.write(rv, at, 'latin1');
  out.set(item.after, at);
  at += item.after.length;
  out.write(tail, at, 'latin1');
  return out;
}

/** The object as a list shows it: without kind and apiVersion. */
export function writeListItem(writer: ByteWriter, item: JsonItem, version: ObjectVersion): void {
  writer.byte(0x7b);
  writer.write(item.before);
  writer.text(versionField(item, version));
  writer.write(item.after);
}
