// LIST: options, selectors, the objects, and an answer that is joined from encoded items and streamed when it is large
// (design law 7).

import { structByName } from '@homeostat/api';
import type { ApiResponse } from '@homeostat/client';
import { encodeProtobuf, type KubeList, type KubeObject, type ListMeta, wrapUnknown } from '@homeostat/machinery';
import { buildTable, partialObject } from '../printers/build-table.ts';
import { ByteWriter } from './byte-writer.ts';
import type { EndpointRequest } from './endpoint-request.ts';
import { type ListedObjects, listObjects } from './list-objects.ts';
import { decodeListOptions } from './list-options.ts';
import {
  bytes,
  goTypeOf,
  negotiateOutput,
  notAcceptableText,
  type Output,
  respondValue,
  tableOptions,
} from './output.ts';
import { selectorPredicate, type SelectedPredicate } from './selector-predicate.ts';

/** Lists with more items than this are streamed. */
const streamedItemsMin = 200;
const yieldEveryMs = 8;

export async function handleList(request: EndpointRequest): Promise<ApiResponse> {
  const { context, entry } = request;
  const output = negotiateOutput(request);
  const options = decodeListOptions(context.query, false);
  const predicate = predicateOf(request, options.labelSelector, options.fieldSelector);
  const resource = entry.stored;
  const listed: ListedObjects =
    resource === undefined
      ? { items: [], revision: 0, continue: '', remaining: undefined }
      : await listObjects(resource, options, predicate, context.signal);
  return respondList(request, listed, output);
}

export function predicateOf(request: EndpointRequest, labelSelector: string, fieldSelector: string): SelectedPredicate {
  const { info, strategy } = request.entry;
  return selectorPredicate({
    labelSelector,
    fieldSelector,
    namespace: request.namespace,
    kind: info,
    namespaced: info.namespaced,
    strategy,
  });
}

export function respondList(request: EndpointRequest, listed: ListedObjects, output: Output): ApiResponse {
  const { context, entry } = request;
  const metadata = listMeta(listed);
  const { media } = output;
  if (context.request.wants === 'object') {
    return { status: 200, headers: {}, body: { kind: 'object', object: asList(request, listed, metadata) } };
  }
  if (media.transform !== undefined) return respondTransformed(request, listed, metadata, output);
  if (media.type === 'application/vnd.kubernetes.protobuf')
    return bytes(200, media.type, protobufList(request, listed, metadata));
  if (media.type === 'application/yaml' || output.pretty || media.pretty) {
    const items = listed.items.map((version) => entry.version.object(version));
    return respondValue(context, 200, entry.version.list(metadata, items), output);
  }
  if (listed.items.length < streamedItemsMin) {
    const writer = new ByteWriter();
    const { head, tail } = entry.version.listFrame(metadata);
    writer.text(head);
    for (const [index, version] of listed.items.entries()) {
      if (index > 0) writer.byte(0x2c);
      entry.version.writeListItem(writer, version);
    }
    writer.text(tail);
    return bytes(200, media.type, writer.finish());
  }
  return {
    status: 200,
    headers: { 'content-type': media.type },
    body: { kind: 'stream', chunks: streamList(request, listed, metadata) },
  };
}

async function* streamList(
  request: EndpointRequest,
  listed: ListedObjects,
  metadata: ListMeta,
): AsyncGenerator<Uint8Array> {
  const { entry, services, context } = request;
  const clock = services.env.clock;
  const writer = new ByteWriter();
  const { head, tail } = entry.version.listFrame(metadata);
  writer.text(head);
  let sinceMs = clock.monotonicMs();
  let first = true;
  let index = 0;
  for (const version of listed.items) {
    if (!first) writer.byte(0x2c);
    first = false;
    entry.version.writeListItem(writer, version);
    if ((++index & 31) !== 0) continue;
    yield* writer.drain();
    if (clock.monotonicMs() - sinceMs >= yieldEveryMs) {
      await clock.yield();
      if (context.signal.aborted) return;
      sinceMs = clock.monotonicMs();
    }
  }
  writer.text(tail);
  yield* writer.finish();
}

export function listMeta(listed: ListedObjects): ListMeta {
  return {
    ...(listed.revision === 0 ? {} : { resourceVersion: String(listed.revision) }),
    ...(listed.continue === '' ? {} : { continue: listed.continue }),
    ...(listed.remaining === undefined ? {} : { remainingItemCount: listed.remaining }),
  };
}

function asList(request: EndpointRequest, listed: ListedObjects, metadata: ListMeta): KubeList {
  const { entry } = request;
  return {
    kind: entry.info.listKind,
    apiVersion: entry.version.apiVersion,
    metadata,
    items: listed.items.map((version) => entry.version.object(version)),
  };
}

function respondTransformed(
  request: EndpointRequest,
  listed: ListedObjects,
  metadata: ListMeta,
  output: Output,
): ApiResponse {
  const { context, entry } = request;
  const transform = output.media.transform;
  if (transform === undefined) throw new Error('no transform was asked for');
  const served = entry.version;
  switch (transform.kind) {
    case 'Table': {
      const entries = listed.items.map((version) => ({ stored: version.object, served: served.object(version) }));
      const table = buildTable(entries, metadata, tableOptions(request, transform.version, output.includeObject));
      return respondValue(context, 200, table, output);
    }
    case 'PartialObjectMetadata':
      throw notAcceptableText(
        `you requested PartialObjectMetadata, but the requested object is a list (*${goTypeOf(request)}List)`,
      );
    case 'PartialObjectMetadataList': {
      const list = {
        kind: 'PartialObjectMetadataList',
        apiVersion: `meta.k8s.io/${transform.version}`,
        metadata,
        // Of nothing, upstream makes no list.
        items:
          listed.items.length === 0
            ? null
            : listed.items.map((version) =>
                partialObject({ metadata: served.metadataOf(served.object(version)) }, transform.version),
              ),
      };
      return respondValue(context, 200, list as unknown as KubeObject, output);
    }
  }
}

const itemsField = 0x12;

function protobufList(request: EndpointRequest, listed: ListedObjects, metadata: ListMeta): readonly Uint8Array[] {
  const { entry } = request;
  const writer = new ByteWriter();
  const schema = structByName('io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta');
  const meta = schema === undefined ? new Uint8Array() : encodeProtobuf(metadata as KubeObject, schema);
  writer.byte(0x0a);
  writeVarint(writer, meta.length);
  writer.write(meta);
  for (const version of listed.items) {
    const raw = entry.version.protobuf(version);
    writer.byte(itemsField);
    writeVarint(writer, raw.length);
    writer.write(raw);
  }
  const raw = Buffer.concat(writer.finish());
  return [wrapUnknown({ apiVersion: entry.version.apiVersion, kind: entry.info.listKind, raw })];
}

function writeVarint(writer: ByteWriter, value: number): void {
  let rest = value;
  while (rest > 0x7f) {
    writer.byte((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  writer.byte(rest);
}
