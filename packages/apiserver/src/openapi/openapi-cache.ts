// The OpenAPI documents of a server, built on first use and kept encoded: start-up pays nothing, and a CRD that comes or goes
// costs only the documents of its group (spec/apiserver.md §19).

import type { ResourceInfo } from '@homeostat/api';
import type { Clock } from '@homeostat/base';
import type { Digests } from '../authentication/crypto-port.ts';
import type { DiscoveredVersion, DiscoveryIndex } from '../discovery/discovery-index.ts';
import { groupDocument, groupVersionDocument, otherDocuments } from './group-document.ts';
import type { JsonObject, OpenApiDocument } from './openapi-types.ts';
import { swaggerDocument } from './swagger-document.ts';
import { encodeSwagger } from './swagger-protobuf.ts';

export interface EncodedOpenApi {
  readonly bytes: Uint8Array;
  /** SHA-512 in upper-case hexadecimal: ETag and `hash` parameter. */
  readonly hash: string;
}

interface Entry {
  /** What the document was built from; another one means it is stale. */
  readonly source: unknown;
  readonly encoded: EncodedOpenApi;
}

/** Documents of custom resources; undefined for built-in ones. */
export type CustomDocument = (group: string, version: DiscoveredVersion) => OpenApiDocument | undefined;

export interface OpenApiCacheOptions {
  readonly index: DiscoveryIndex;
  readonly digests: Digests;
  readonly clock: Clock;
  readonly customDocument?: CustomDocument;
}

export class OpenApiCache {
  readonly #options: OpenApiCacheOptions;
  readonly #entries = new Map<string, Entry>();
  #swagger: { readonly generation: number; readonly encoded: Promise<EncodedOpenApi> } | undefined;
  #protobuf: { readonly source: EncodedOpenApi; readonly encoded: EncodedOpenApi } | undefined;

  constructor(options: OpenApiCacheOptions) {
    this.#options = options;
  }

  /** Names of all documents, e.g. `api/v1`, `apis/apps/v1`, `version`; sorted. */
  names(): readonly string[] {
    const groups = this.#options.index
      .groups()
      .flatMap(({ group, versions }) => [
        ...(group === '' ? [] : [`apis/${group}`]),
        ...versions.map(({ version }) => versionName(group, version)),
      ]);
    return [...Object.keys(otherDocuments), ...groups].sort();
  }

  /** Every document with its name, sorted; lets others run between them. */
  async all(): Promise<readonly (readonly [string, EncodedOpenApi])[]> {
    const documents: (readonly [string, EncodedOpenApi])[] = [];
    for (const name of this.names()) {
      const document = this.document(name);
      if (document !== undefined) documents.push([name, document]);
      await this.#options.clock.yield();
    }
    return documents;
  }

  /** A document by name; undefined when nothing of that name is served. */
  document(name: string): EncodedOpenApi | undefined {
    const part = this.#find(name);
    if (part === undefined) return undefined;
    const known = this.#entries.get(name);
    if (known !== undefined && sameSource(known.source, part.source)) return known.encoded;
    const encoded = this.#encode(part.build());
    this.#entries.set(name, { source: part.source, encoded });
    return encoded;
  }

  /** The OpenAPI 2 document of everything; built once for who asks at the same time. */
  swagger(): Promise<EncodedOpenApi> {
    const { generation } = this.#options.index;
    if (this.#swagger?.generation !== generation) this.#swagger = { generation, encoded: this.#buildSwagger() };
    return this.#swagger.encoded;
  }

  /** The same as protobuf: for old clients, so it is made from the other form when one asks. */
  async swaggerProtobuf(): Promise<EncodedOpenApi> {
    const source = await this.swagger();
    if (this.#protobuf?.source !== source) {
      const document = JSON.parse(Buffer.from(source.bytes).toString()) as JsonObject;
      this.#protobuf = { source, encoded: this.#hashed(encodeSwagger(document)) };
    }
    return this.#protobuf.encoded;
  }

  async #buildSwagger(): Promise<EncodedOpenApi> {
    const documents: OpenApiDocument[] = [];
    for (const name of this.names()) {
      const document = this.#find(name)?.build();
      if (document !== undefined) documents.push(document);
      await this.#options.clock.yield();
    }
    return this.#encode(swaggerDocument(documents));
  }

  #find(name: string): { readonly source: unknown; build(): OpenApiDocument } | undefined {
    const other = Object.hasOwn(otherDocuments, name) ? otherDocuments[name] : undefined;
    if (other !== undefined) return { source: other, build: other };
    const [root, ...rest] = name.split('/');
    const [group = '', version] = root === 'api' ? ['', rest[0]] : rest;
    const found = root === 'api' || root === 'apis' ? this.#options.index.find(group) : undefined;
    if (found === undefined || (version !== undefined && versionName(group, version) !== name)) return undefined;
    if (version === undefined) return group === '' ? undefined : { source: group, build: () => groupDocument(group) };
    const served = found.versions.find((each) => each.version === version);
    if (served === undefined) return undefined;
    const build = (): OpenApiDocument =>
      this.#options.customDocument?.(group, served) ?? groupVersionDocument(group, served);
    return { source: served.resources, build };
  }

  #encode(document: unknown): EncodedOpenApi {
    return this.#hashed(Buffer.from(JSON.stringify(document)));
  }

  #hashed(bytes: Uint8Array): EncodedOpenApi {
    const hash = Buffer.from(this.#options.digests.sha512(bytes)).toString('hex').toUpperCase();
    return { bytes, hash };
  }
}

function versionName(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

/** The index is rebuilt as a whole: the same resources in a new array are no change. */
function sameSource(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return (a as readonly ResourceInfo[]).every((info, index) => info === b[index]);
}
