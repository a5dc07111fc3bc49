// Writes answers: picks the form the client negotiated (object, table, metadata only) and encodes it, or hands the shared
// object to callers in this process.

import type { TableStrategy } from '@homeostat/api';
import { ApiError } from '@homeostat/base';
import type { ApiResponse } from '@homeostat/client';
import { type KubeObject, newBadRequest } from '@homeostat/machinery';
import type { RequestContext } from '../server/request-context.ts';
import type { ObjectVersion } from '../watch-cache/object-version.ts';
import { buildTable, type IncludeObject, partialObject, type TableOptions } from '../printers/build-table.ts';
import { type EndpointRequest, tableOf } from './endpoint-request.ts';
import { encodeValue } from './encode-value.ts';
import { internalName } from './known-kinds.ts';
import { negotiate, type OutputMedia, servedMediaTypes } from './media-types.ts';
import { wantsPretty } from './pretty.ts';

export interface Output {
  readonly media: OutputMedia;
  readonly pretty: boolean;
  readonly includeObject: IncludeObject;
}

/** @throws ApiError 406 */
export function negotiateOutput(
  request: EndpointRequest,
  rules: { readonly table: boolean } = { table: true },
): Output {
  const { context } = request;
  const headers = context.request.headers;
  const { isTyped } = request.entry.version;
  const media = negotiate(headers['accept'] ?? '', { table: rules.table, transforms: true, messages: isTyped });
  if (media === undefined) throw notAcceptable(servedMediaTypes);
  return {
    media,
    pretty: wantsPretty(context.query, headers['user-agent'] ?? ''),
    includeObject: media.transform?.kind === 'Table' ? decodeIncludeObject(context.query) : 'Metadata',
  };
}

export function notAcceptable(types: readonly string[]): ApiError {
  return new ApiError({
    code: 406,
    reason: 'NotAcceptable',
    message: `only the following media types are accepted: ${types.join(', ')}`,
  });
}

function decodeIncludeObject(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject') ?? '';
  if (value === '') return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  const why = `includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw newBadRequest(`Unable to convert to Table as requested: ${why}`);
}

/** One stored object. */
export function respondObject(
  request: EndpointRequest,
  status: number,
  version: ObjectVersion,
  output: Output,
): ApiResponse {
  const { context, entry } = request;
  const served = entry.version;
  if (context.request.wants === 'object') {
    return { status, headers: {}, body: { kind: 'object', object: served.object(version) } };
  }
  const { media } = output;
  if (media.transform !== undefined) {
    const value = transformOne(request, version, media.transform, output.includeObject);
    return respondValue(context, status, value, output);
  }
  if (media.type === 'application/vnd.kubernetes.protobuf') {
    return bytes(status, media.type, [served.fullProtobuf(version)]);
  }
  if (media.type === 'application/json' && !output.pretty && !media.pretty) {
    return bytes(status, media.type, [served.fullJson(version, '\n')]);
  }
  return respondValue(context, status, served.object(version), output);
}

/** An object that is made up for the answer (Scale), in the form that was negotiated. */
export function respondShown(
  request: EndpointRequest,
  status: number,
  value: KubeObject,
  output: Output,
  table: TableStrategy,
): ApiResponse {
  const { transform } = output.media;
  if (transform === undefined || request.context.request.wants === 'object') {
    return respondValue(request.context, status, value, output);
  }
  const options = { ...tableOptions(request, transform.version, output.includeObject), table };
  const rv = value.metadata?.resourceVersion;
  const shown =
    transform.kind === 'Table'
      ? buildTable([{ stored: value, served: value }], rv === undefined ? {} : { resourceVersion: rv }, options)
      : partialObject(value, transform.version);
  return respondValue(request.context, status, shown, output);
}

/** Any other object: Status, Scale, a review. */
export function respondValue(context: RequestContext, status: number, value: KubeObject, output: Output): ApiResponse {
  if (context.request.wants === 'object') return { status, headers: {}, body: { kind: 'object', object: value } };
  const encoded = encodeValue(value, output.media, output.pretty);
  return bytes(status, encoded.contentType, encoded.chunks);
}

export function bytes(status: number, contentType: string, chunks: readonly Uint8Array[]): ApiResponse {
  return { status, headers: { 'content-type': contentType }, body: { kind: 'bytes', chunks } };
}

function transformOne(
  request: EndpointRequest,
  version: ObjectVersion,
  transform: NonNullable<OutputMedia['transform']>,
  includeObject: IncludeObject,
): KubeObject {
  const servedVersion = request.entry.version;
  const served = servedVersion.object(version);
  switch (transform.kind) {
    case 'PartialObjectMetadata':
      return partialObject({ metadata: servedVersion.metadataOf(served) }, transform.version);
    case 'PartialObjectMetadataList':
      throw notAcceptableText(
        `you requested PartialObjectMetadataList, but the requested object is not a list (*${goTypeOf(request)})`,
      );
    case 'Table': {
      const rv = version.revision === 0 ? {} : { resourceVersion: String(version.revision) };
      return buildTable(
        [{ stored: version.object, served }],
        rv,
        tableOptions(request, transform.version, includeObject),
      );
    }
  }
}

export function notAcceptableText(message: string): ApiError {
  return new ApiError({ code: 406, reason: 'NotAcceptable', message });
}

export function goTypeOf(request: EndpointRequest): string {
  const { info } = request.entry;
  return `${internalName(info.group)}.${info.kind}`;
}

export function tableOptions(
  request: EndpointRequest,
  version: 'v1' | 'v1beta1',
  includeObject: IncludeObject,
): TableOptions {
  return { table: tableOf(request.entry), includeObject, version, nowMs: request.services.env.clock.nowMs() };
}
