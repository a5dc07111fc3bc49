// Answers with discovery documents: negotiates and encodes the plain ones, keeps the aggregated ones encoded with their ETags
// until the resource table changes.

import { schemaOf, structByName } from '@homeostat/api';
import { ApiError } from '@homeostat/base';
import type { ApiResponse } from '@homeostat/client';
import { encodeProtobuf, type StructSchema, wrapUnknown } from '@homeostat/machinery';
import type { Digests } from '../authentication/crypto-port.ts';
import { encodeValue } from '../endpoints/encode-value.ts';
import { type MediaType, negotiate, routerAccepts, servedMediaTypes } from '../endpoints/media-types.ts';
import { notAcceptable } from '../endpoints/output.ts';
import { wantsPretty } from '../endpoints/pretty.ts';
import type { RequestContext } from '../server/request-context.ts';
import { aggregatedDocument } from './aggregated-document.ts';
import type { DiscoveredGroup, DiscoveryIndex } from './discovery-index.ts';
import { aggregatedMedia, aggregatedParameters } from './discovery-media.ts';
import type { DiscoveryDocument } from './legacy-documents.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';

interface EncodedDocument {
  readonly etag: string;
  readonly chunks: readonly Uint8Array[];
}

/** Which of the two aggregated documents: the core group's, or all others'. */
export type AggregatedRoot = 'api' | 'apis';

export class DiscoveryResponder {
  readonly #index: DiscoveryIndex;
  readonly #digests: Digests;
  readonly #encoded = new Map<string, EncodedDocument>();
  #generation = -1;

  constructor(index: DiscoveryIndex, digests: Digests) {
    this.#index = index;
    this.#digests = digests;
  }

  /** The aggregated document when the client asks for it first, else the plain one. @throws ApiError 406 */
  root(context: RequestContext, root: AggregatedRoot, plain: () => DiscoveryDocument): ApiResponse {
    const media = aggregatedMedia(context.request.headers['accept'] ?? '');
    return media === undefined ? this.plain(context, plain()) : this.#aggregated(context, root, media);
  }

  /** A plain document. @throws ApiError 406 */
  plain(context: RequestContext, document: DiscoveryDocument): ApiResponse {
    if (context.request.wants === 'object')
      return { status: 200, headers: {}, body: { kind: 'object', object: document } };
    const { headers } = context.request;
    const media = negotiate(headers['accept'] ?? '', { table: false, transforms: false });
    if (media === undefined) throw notAcceptable(servedMediaTypes);
    if (media.type === protobuf) return respond(200, protobuf, [encodeEnvelope(document)]);
    const { chunks, contentType } = encodeValue(
      document,
      media,
      wantsPretty(context.query, headers['user-agent'] ?? ''),
    );
    return respond(200, contentType, chunks);
  }

  /** Like {@link plain}, behind a router that first compares bare media types. @throws ApiError 406 */
  routed(context: RequestContext, document: DiscoveryDocument): ApiResponse {
    if (!routerAccepts(context.request.headers['accept'] ?? '')) {
      const available = `Available representations: ${servedMediaTypes.join(', ')}`;
      throw new ApiError({
        code: 406,
        reason: 'NotAcceptable',
        message: `406: Not Acceptable\n\n${available}`,
        details: {},
      });
    }
    return this.plain(context, document);
  }

  #aggregated(context: RequestContext, root: AggregatedRoot, media: MediaType): ApiResponse {
    const { etag, chunks } = this.#encode(root, media);
    const quoted = `"${etag}"`;
    if (context.request.headers['if-none-match'] === quoted) {
      return { status: 304, headers: { etag: quoted }, body: { kind: 'empty' } };
    }
    const headers = { etag: quoted, vary: 'Accept', 'cache-control': 'public' };
    return respond(200, media + aggregatedParameters, chunks, headers);
  }

  #encode(root: AggregatedRoot, media: MediaType): EncodedDocument {
    if (this.#generation !== this.#index.generation) {
      this.#encoded.clear();
      this.#generation = this.#index.generation;
    }
    const key = `${root} ${media}`;
    const known = this.#encoded.get(key);
    if (known !== undefined) return known;
    const inRoot = ({ group }: DiscoveredGroup): boolean => (group === '') === (root === 'api');
    const document = aggregatedDocument(this.#index.groups().filter(inRoot));
    const json = encodeValue(document, { type: 'application/json', pretty: false }, false).chunks;
    // One ETag for all encodings: it names the content.
    const etag = Buffer.from(this.#digests.sha512(Buffer.concat(json)))
      .toString('hex')
      .toUpperCase();
    const chunks = media === 'application/json' ? json : encodeAs(document, media);
    const encoded = { etag, chunks };
    this.#encoded.set(key, encoded);
    return encoded;
  }
}

function encodeAs(document: DiscoveryDocument, media: MediaType): readonly Uint8Array[] {
  if (media === protobuf) return [encodeEnvelope(document)];
  return encodeValue(document, { type: media, pretty: false }, false).chunks;
}

/** The envelope names what the document states; the kinds of discovery that state no version are v1's. */
function encodeEnvelope(document: DiscoveryDocument): Uint8Array {
  const { apiVersion = '', kind = '' } = document;
  const schema = protobufSchema(apiVersion === '' ? 'v1' : apiVersion, kind);
  if (schema === undefined) throw new Error(`no protobuf message for ${apiVersion} ${kind}`);
  return wrapUnknown({ apiVersion, kind, raw: encodeProtobuf(document, schema) });
}

function protobufSchema(apiVersion: string, kind: string): StructSchema | undefined {
  if (apiVersion === 'v1') return structByName(`io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`);
  const [group = '', version = ''] = apiVersion.split('/');
  return schemaOf({ group, version, kind });
}

function respond(
  status: number,
  contentType: string,
  chunks: readonly Uint8Array[],
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return { status, headers: { 'content-type': contentType, ...headers }, body: { kind: 'bytes', chunks } };
}
