// The forms a watch can take on the wire: JSON lines, length-prefixed protobuf, tables, metadata only
// (spec/apiserver.md §6.1, §2.3, §2.7). A frame of a live event is made once and shared by all watchers that want it.

import { schemaOf } from '@homeostat/api';
import type { ApiError } from '@homeostat/base';
import {
  encodeJson,
  encodeProtobuf,
  type KubeObject,
  parseApiVersion,
  type WatchEvent,
  wrapUnknown,
} from '@homeostat/machinery';
import { columnDefinitions, partialObject, rowObject, tableRow } from '../printers/build-table.ts';
import type { WatchItem } from '../watch-cache/cache-event.ts';
import type { EndpointRequest } from './endpoint-request.ts';
import { type Output, tableOptions } from './output.ts';

export interface WatchFrames {
  readonly contentType: string;
  item(item: WatchItem): Uint8Array;
  /** `initialEnd`: marks the end of the initial events. */
  bookmark(revision: number, initialEnd: boolean): Uint8Array;
  error(error: ApiError): Uint8Array;
}

/** Frames as the request negotiated them. */
export function watchFrames(request: EndpointRequest, output: Output): WatchFrames {
  const { media } = output;
  const toObject = objectForm(request, output);
  if (media.type === 'application/vnd.kubernetes.protobuf')
    return protobufFrames(request, toObject, media.transform !== undefined);
  const version = request.entry.version;
  const plain = media.transform === undefined;
  const shared = media.transform?.kind !== 'Table';
  const memo = `${version.apiVersion}|json|${media.transform?.kind ?? ''}|${media.transform?.version ?? ''}`;
  const encode = (item: WatchItem): Uint8Array =>
    plain
      ? jsonFrame(item.type, version.fullJson(item.version))
      : jsonFrame(item.type, encodeJson(toObject.item(item)));
  return {
    contentType: media.type,
    item: (item) => (shared ? remembered(item, memo, encode) : encode(item)),
    bookmark: (revision, initialEnd) => jsonFrame('BOOKMARK', encodeJson(toObject.bookmark(revision, initialEnd))),
    error: (error) => jsonFrame('ERROR', encodeJson(error.toStatus())),
  };
}

function remembered(item: WatchItem, memo: string, encode: (item: WatchItem) => Uint8Array): Uint8Array {
  const frames = item.event?.frames;
  if (frames === undefined) return encode(item);
  const key = `${item.type}|${memo}`;
  let frame = frames.get(key);
  if (frame === undefined) {
    frame = encode(item);
    frames.set(key, frame);
  }
  return frame;
}

/** The same events as objects, for callers in this process. */
export function watchObjects(request: EndpointRequest): {
  item(item: WatchItem): WatchEvent;
  bookmark(revision: number, initialEnd: boolean): WatchEvent;
} {
  const version = request.entry.version;
  return {
    item: (item) => ({ type: item.type, object: version.object(item.version) }),
    bookmark: (revision, initialEnd) => ({ type: 'BOOKMARK', object: bookmarkObject(request, revision, initialEnd) }),
  };
}

interface ObjectForm {
  item(item: WatchItem): KubeObject;
  bookmark(revision: number, initialEnd: boolean): KubeObject;
}

function objectForm(request: EndpointRequest, output: Output): ObjectForm {
  const version = request.entry.version;
  const { transform } = output.media;
  const bookmark = (revision: number, initialEnd: boolean): KubeObject => bookmarkObject(request, revision, initialEnd);
  if (transform === undefined) return { item: (item) => version.object(item.version), bookmark };
  if (transform.kind !== 'Table') {
    return {
      item: (item) => partialObject({ metadata: version.metadataOf(version.object(item.version)) }, transform.version),
      bookmark: (revision, initialEnd) => partialObject(bookmark(revision, initialEnd), transform.version),
    };
  }
  let first = true;
  const table = (row: (options: ReturnType<typeof tableOptions>) => unknown, revision: number): KubeObject => {
    const options = tableOptions(request, transform.version, output.includeObject);
    const columns = first ? columnDefinitions(options.table) : null;
    first = false;
    return {
      kind: 'Table',
      apiVersion: `meta.k8s.io/${transform.version}`,
      metadata: { resourceVersion: String(revision) },
      columnDefinitions: columns,
      rows: [row(options)],
    } as KubeObject;
  };
  return {
    item: (item) =>
      table(
        (options) => tableRow({ stored: item.version.object, served: version.object(item.version) }, options),
        item.version.revision,
      ),
    bookmark: (revision, initialEnd) =>
      table((options) => {
        const object = bookmark(revision, initialEnd);
        // The annotation must stay visible, whatever the rows leave out.
        const keep =
          initialEnd && options.includeObject === 'None'
            ? ({ ...options, includeObject: 'Metadata' } as const)
            : options;
        return { cells: options.table.row(object, options.nowMs).cells, object: rowObject(object, keep) };
      }, revision),
  };
}

/** An empty object of the watched kind that carries a revision. */
function bookmarkObject(request: EndpointRequest, revision: number, initialEnd: boolean): KubeObject {
  const { info, version } = request.entry;
  const annotations = initialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  return version.canonical({
    kind: info.kind,
    apiVersion: version.apiVersion,
    metadata: { resourceVersion: String(revision), ...annotations },
  });
}

function jsonFrame(type: string, object: Uint8Array): Uint8Array {
  const head = `{"type":"${type}","object":`;
  const frame = Buffer.allocUnsafe(head.length + object.length + 2);
  frame.write(head, 0, 'latin1');
  frame.set(object, head.length);
  frame.write('}\n', head.length + object.length, 'latin1');
  return frame;
}

function protobufFrames(request: EndpointRequest, toObject: ObjectForm, transformed: boolean): WatchFrames {
  const version = request.entry.version;
  const wrap = (object: KubeObject): Uint8Array => {
    const { apiVersion = '', kind = '' } = object;
    const schema = schemaOf({ ...parseApiVersion(apiVersion), kind }) ?? request.entry.info.schema;
    return wrapUnknown({ apiVersion, kind, raw: encodeProtobuf(object, schema) });
  };
  const encode = (item: WatchItem): Uint8Array =>
    protobufFrame(item.type, transformed ? wrap(toObject.item(item)) : version.fullProtobuf(item.version));
  const memo = `${version.apiVersion}|protobuf`;
  return {
    contentType: 'application/vnd.kubernetes.protobuf;stream=watch',
    item: (item) => (transformed ? encode(item) : remembered(item, memo, encode)),
    bookmark: (revision, initialEnd) => protobufFrame('BOOKMARK', wrap(toObject.bookmark(revision, initialEnd))),
    error: (error) => protobufFrame('ERROR', wrap(error.toStatus() as unknown as KubeObject)),
  };
}

/** 4 bytes of length, then WatchEvent{type(1), object(2): RawExtension{raw(1)}}. */
function protobufFrame(type: string, object: Uint8Array): Uint8Array {
  const raw = field(1, object);
  const message = Buffer.concat([field(1, Buffer.from(type)), field(2, raw)]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(message.length);
  return Buffer.concat([length, message]);
}

function field(number: number, bytes: Uint8Array): Uint8Array {
  const header = [(number << 3) | 2];
  let rest = bytes.length;
  while (rest > 0x7f) {
    header.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  header.push(rest);
  return Buffer.concat([Buffer.from(header), bytes]);
}
