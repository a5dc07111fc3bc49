// DeleteOptions from the body, or, when there is none, from the query (spec/apiserver.md §1.5).

import { schemaOf } from '@homeostat/api';
import {
  decodeBody,
  decodeJson,
  decodeObject,
  decodeProtobuf,
  type Json,
  newBadRequest,
  unwrapUnknown,
} from '@homeostat/machinery';
import { type DeleteOptions, validateDeleteOptions } from '../registry/delete-options.ts';
import type { RequestContext } from '../server/request-context.ts';
import { inputMedia } from './decode-body.ts';
import { servedMediaTypes } from './media-types.ts';
import { queryBool, queryInt, queryList } from './query-values.ts';
import { readBytes } from './request-body.ts';

const schema = schemaOf({ group: '', version: 'v1', kind: 'DeleteOptions' });

/** @throws ApiError 400, 415, 422 */
export async function decodeDeleteOptions(context: RequestContext): Promise<DeleteOptions> {
  const options = await readOptions(context);
  validateDeleteOptions(options);
  return options;
}

async function readOptions(context: RequestContext): Promise<DeleteOptions> {
  const { body, headers } = context.request;
  if (schema === undefined) throw new Error('no schema for DeleteOptions');
  if (body?.kind === 'object') return decodeObject<DeleteOptions>(body.object ?? {}, schema);
  const bytes = await readBytes(body);
  if (bytes.length === 0) return fromQuery(context.query);
  const media = inputMedia(headers['content-type'] ?? '', servedMediaTypes);
  try {
    switch (media) {
      case 'application/vnd.kubernetes.protobuf': {
        const envelope = unwrapUnknown(bytes);
        checkKind(envelope.kind, envelope.apiVersion);
        return decodeProtobuf<DeleteOptions>(envelope.raw, schema);
      }
      case 'application/yaml': {
        const { decodeYaml } = await import('@homeostat/machinery/yaml');
        const value = decodeYaml(bytes);
        checkKindOf(value);
        return decodeObject<DeleteOptions>(value ?? {}, schema);
      }
      case 'application/json': {
        checkKindOf(parse(bytes));
        return decodeBody<DeleteOptions>(bytes, schema);
      }
    }
  } catch (error) {
    throw newBadRequest(error instanceof Error ? error.message : String(error));
  }
}

function parse(bytes: Uint8Array): Json {
  try {
    return decodeJson(bytes);
  } catch (error) {
    throw new Error(
      `couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function checkKindOf(value: Json): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const { kind, apiVersion } = value as Readonly<Record<string, Json | undefined>>;
  checkKind(typeof kind === 'string' ? kind : '', typeof apiVersion === 'string' ? apiVersion : '');
}

/** Options of any version will do, other kinds won't. */
function checkKind(kind: string, apiVersion: string): void {
  if (kind === '' || kind === 'DeleteOptions') return;
  throw new Error(
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"`,
  );
}

function fromQuery(query: URLSearchParams): DeleteOptions {
  const gracePeriodSeconds = queryInt(query, 'gracePeriodSeconds');
  const orphanDependents = queryBool(query, 'orphanDependents');
  const propagationPolicy = query.get('propagationPolicy') ?? undefined;
  const dryRun = queryList(query, 'dryRun');
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(dryRun === undefined ? {} : { dryRun }),
  };
}
