// Server-side apply (spec/apiserver.md §7.5, §7.8): the configuration is merged into the object with field ownership,
// and creates it when it is missing.

import {
  applyConfiguration,
  DecodeError,
  decodeJson,
  decodeObject,
  type Json,
  type KubeObject,
  type Mutable,
  newBadRequest,
  newInternalError,
  newUnknown,
  type OwnershipRequest,
  toApiVersion,
} from '@homeostat/machinery';
import { goKind } from './decode-body.ts';
import type { PatchMechanism } from './patch-endpoint.ts';
import type { PatchTarget } from './patch-target.ts';

/** @throws ApiError 400 for what is no YAML */
export async function applyMechanism(bytes: Uint8Array, force: boolean, target: PatchTarget): Promise<PatchMechanism> {
  const { owner } = target;
  if (owner === undefined) throw newInternalError('apply needs an owner');
  const { config, duplicates } = await readConfiguration(bytes);
  return {
    creates: true,
    apply: (live) => {
      const { draft, changed } = merge(live, config, force, owner, target);
      // As upstream: what is wrong with the merge comes before what is wrong with the text.
      reportDuplicates(duplicates, target);
      // What is as it was is left so, with the defaults it has.
      if (changed) target.applyDefaults(draft);
      return draft;
    },
  };
}

function merge(
  live: KubeObject | undefined,
  config: KubeObject,
  force: boolean,
  owner: OwnershipRequest,
  target: PatchTarget,
): { readonly draft: Mutable<KubeObject>; readonly changed: boolean } {
  const result = applyConfiguration({ ...owner, live, config, kind: target.kind.kind, force });
  const draft = target.reader?.readMerged(result.object) ?? toTyped(result.object, config, target);
  draft.kind = target.kind.kind;
  draft.apiVersion = toApiVersion(target.kind);
  const meta = (draft.metadata ??= {});
  if (result.managedFields === undefined || result.managedFields.length === 0) delete meta.managedFields;
  else meta.managedFields = structuredClone(result.managedFields) as never;
  return { draft, changed: result.changed };
}

/** What merges need not fit its type: numbers, quantities and times are only found out here. */
function toTyped(merged: KubeObject, config: KubeObject, target: PatchTarget): Mutable<KubeObject> {
  try {
    return decodeObject<Mutable<KubeObject>>(merged, target.schema, { wording: 'converter' });
  } catch (error) {
    const gvk = `${toApiVersion(target.kind)}, Kind=${target.kind.kind}`;
    const { namespace = '', name = '' } = config.metadata ?? {};
    throw newUnknown(
      `failed to convert new object (${namespace}/${name}; ${gvk}) to proper version: unable to convert unstructured object to ${gvk}: ${textOf(error)}`,
    );
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface Configuration {
  readonly config: KubeObject;
  readonly duplicates: readonly string[];
}

/** Most clients send JSON; only what is none, or repeats keys, needs the YAML reader. */
async function readConfiguration(bytes: Uint8Array): Promise<Configuration> {
  return readPlainJson(bytes) ?? readYaml(bytes);
}

function readPlainJson(bytes: Uint8Array): Configuration | undefined {
  if (bytes[0] !== openBrace) return undefined;
  let repeats = false;
  try {
    const value = decodeJson(bytes, {
      onDuplicate: () => {
        repeats = true;
      },
    });
    return repeats ? undefined : { config: value as KubeObject, duplicates: [] };
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

const openBrace = 0x7b;

async function readYaml(bytes: Uint8Array): Promise<Configuration> {
  const duplicates: string[] = [];
  const { decodeYaml } = await import('@homeostat/machinery/yaml');
  let value: Json;
  try {
    value = decodeYaml(bytes, { onDuplicate: (text) => void duplicates.push(text) });
  } catch (error) {
    throw newBadRequest(`error decoding YAML: error converting YAML to JSON: ${textOf(error)}`);
  }
  if (value !== null && (typeof value !== 'object' || Array.isArray(value))) {
    const kind = goKind(value);
    throw newBadRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
    );
  }
  return { config: (value ?? {}) as KubeObject, duplicates };
}

function reportDuplicates(duplicates: readonly string[], target: PatchTarget): void {
  if (duplicates.length === 0 || target.fieldValidation === 'Ignore') return;
  if (target.fieldValidation === 'Strict') {
    const lines = duplicates.map((text) => `\n  ${text}`).join('');
    throw newBadRequest(`error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:${lines}`);
  }
  for (const text of duplicates) target.warnings.add(text);
}
