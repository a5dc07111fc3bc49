// Encodes a plain object of any kind (Status, Scale, tables, reviews) in a negotiated media type. Stored objects don't
// come this way: their bytes are shared (`served-version.ts`).

import { schemaOf } from '@homeostat/api';
import {
  encodeJson,
  encodeProtobuf,
  encodeYaml,
  type KubeObject,
  parseApiVersion,
  type StructSchema,
  wrapUnknown,
} from '@homeostat/machinery';
import type { OutputMedia } from './media-types.ts';
import { indentJson } from './pretty.ts';

const newline = new Uint8Array([0x0a]);

export interface EncodedValue {
  readonly contentType: string;
  readonly chunks: readonly Uint8Array[];
}

/** `pretty` comes from the query or the user agent; the media type may ask for it too. */
export function encodeValue(value: KubeObject, media: OutputMedia, pretty: boolean): EncodedValue {
  switch (media.type) {
    case 'application/json':
      return { contentType: media.type, chunks: jsonChunks(encodeJson(value), pretty || media.pretty) };
    case 'application/yaml':
      return { contentType: media.type, chunks: [Buffer.from(encodeYaml(value))] };
    case 'application/vnd.kubernetes.protobuf': {
      const schema = schemaFor(value);
      // Kinds without a message (tables) never get here: negotiation refuses them.
      if (schema === undefined)
        return { contentType: 'application/json', chunks: jsonChunks(encodeJson(value), pretty) };
      const { apiVersion = '', kind = '' } = value;
      return {
        contentType: media.type,
        chunks: [wrapUnknown({ apiVersion, kind, raw: encodeProtobuf(value, schema) })],
      };
    }
  }
}

/** Compact JSON ends with a newline, indented JSON does not. */
export function jsonChunks(compact: Uint8Array, pretty: boolean): readonly Uint8Array[] {
  return pretty ? [Buffer.from(indentJson(Buffer.from(compact).toString('utf8')))] : [compact, newline];
}

export function schemaFor(value: KubeObject): StructSchema | undefined {
  const { apiVersion = '', kind = '' } = value;
  return schemaOf({ ...parseApiVersion(apiVersion), kind });
}
