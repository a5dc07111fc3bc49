// JSON, merge and strategic merge patches (spec/apiserver.md §7.1–7.4, §8): applied to the object as the endpoint shows
// it, read back into its type, defaulted, owned.

import { schemaOf } from '@homeostat/api';
import { ApiError, isApiError } from '@homeostat/base';
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  decodeJson,
  decodeJsonPatch,
  decodeObject,
  encodeJson,
  FieldPath,
  goPlain,
  invalid,
  type Json,
  jsonPatchOperationsMax,
  type KubeObject,
  type Mutable,
  newBadRequest,
  newInvalid,
  newNotFound,
  newUnknown,
  PatchError,
  toApiVersion,
  unknownJsonPatchMembers,
} from '@homeostat/machinery';
import { goKind } from './decode-body.ts';
import { gvkOf, kindProblem } from './known-kinds.ts';
import { trackOwnership } from './ownership.ts';
import type { PatchMechanism } from './patch-endpoint.ts';
import type { PatchTarget, UntypedReader } from './patch-target.ts';
import { patchTypes, type PatchType } from './patch-types.ts';
import { tooLarge } from './request-body.ts';

type JsonMap = { readonly [key: string]: Json };

interface ReadPatch {
  /** Findings of the patch text itself: duplicate or unknown members. */
  readonly problems: readonly string[];
  /** How a refused result is shown: the patched document, or the patch (strategic merge). */
  shown(patched: Json): string;
  apply(document: Json): Json;
}

/** @throws ApiError 400, 413 for patches that can't be read */
export function patchMechanism(
  bytes: Uint8Array,
  type: Exclude<PatchType, 'application/apply-patch+yaml'>,
  target: PatchTarget,
): PatchMechanism {
  const patch = withAnswers(() => readPatch(bytes, type, target));
  return {
    creates: false,
    apply: (live) => {
      if (live === undefined) throw newNotFound(target.resource, target.name);
      const patched = withAnswers(() => patch.apply(live as unknown as Json));
      const draft = toTyped(patched, patch, type, target);
      target.applyDefaults(draft);
      if (target.owner !== undefined) trackOwnership(target.owner, live, draft);
      return draft;
    },
  };
}

function readPatch(bytes: Uint8Array, type: PatchType, target: PatchTarget): ReadPatch {
  const problems: string[] = [];
  const strict = target.fieldValidation !== 'Ignore';
  const onDuplicate = (path: string): void => void problems.push(`duplicate field "${path}"`);
  const shownResult = (patched: Json): string => Buffer.from(encodeJson(patched)).toString('utf8');
  switch (type) {
    case patchTypes.json: {
      const document = parse(
        bytes,
        'error decoding patch: ',
        (path) => void problems.push(`json patch duplicate field "${path}"`),
      );
      if (Array.isArray(document) && document.length > jsonPatchOperationsMax) {
        throw tooLarge(
          `The allowed maximum operations in a JSON patch is ${jsonPatchOperationsMax}, got ${document.length}`,
        );
      }
      const operations = decodeJsonPatch(document, strict);
      for (const path of unknownJsonPatchMembers(document)) problems.push(`json patch unknown field "${path}"`);
      return { problems, shown: shownResult, apply: (live) => applyJsonPatch(live, operations) };
    }
    case patchTypes.merge: {
      const document = parse(bytes, 'error decoding patch: ', onDuplicate);
      return { problems, shown: shownResult, apply: (live) => applyMergePatch(live, document) };
    }
    default: {
      const document = parse(bytes, '', onDuplicate);
      if (document !== null && (typeof document !== 'object' || Array.isArray(document))) {
        throw newBadRequest(`json: cannot unmarshal ${goKind(document)} into Go value of type map[string]interface {}`);
      }
      const map = (document ?? {}) as JsonMap;
      return {
        problems,
        shown: () => goPlain(map),
        apply: (live) => applyStrategicMergePatch(live as JsonMap, map, target.schema),
      };
    }
  }
}

function parse(bytes: Uint8Array, prefix: string, onDuplicate: (path: string) => void): Json {
  try {
    return decodeJson(bytes, { onDuplicate });
  } catch (error) {
    throw newBadRequest(`${prefix}${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Reads the patched document back into its type. @throws ApiError 422 with the document or the patch in its text */
function toTyped(patched: Json, patch: ReadPatch, type: PatchType, target: PatchTarget): Mutable<KubeObject> {
  const unknown: string[] = [];
  if (target.reader !== undefined) return readUntyped(patched, patch, target.reader, target);
  if (type !== patchTypes.strategic) checkPatchedKind(patched, patch, target);
  const report =
    target.fieldValidation === 'Ignore'
      ? {}
      : { onUnknown: (path: string) => void unknown.push(`unknown field "${path}"`) };
  let draft: Mutable<KubeObject>;
  if (type !== patchTypes.strategic && isUntyped(patched)) {
    // Without kind and version upstream reads it into a type that knows no fields at all.
    for (const key of Object.keys(patched as JsonMap).sort()) target.warnings.add(`unknown field "${key}"`);
    return { kind: target.kind.kind, apiVersion: toApiVersion(target.kind), metadata: {} };
  }
  try {
    const wording = type === patchTypes.strategic ? 'converter' : 'json';
    draft = decodeObject<Mutable<KubeObject>>(patched, target.schema, { ...report, wording });
  } catch (error) {
    throw refused(patch.shown(patched), error instanceof Error ? error.message : String(error));
  }
  reportProblems([...patch.problems, ...(type === patchTypes.strategic ? unknown.sort() : unknown)], target, () =>
    patch.shown(patched),
  );
  return draft;
}

function readUntyped(patched: Json, patch: ReadPatch, reader: UntypedReader, target: PatchTarget): Mutable<KubeObject> {
  const unknown: string[] = [];
  let draft: Mutable<KubeObject>;
  try {
    draft = reader.readPatched(patched, unknown);
  } catch (error) {
    if (isApiError(error)) throw error;
    throw refused(reader.show(patched), error instanceof Error ? error.message : String(error));
  }
  const texts = unknown.map((path) => `unknown field "${path}"`);
  reportProblems([...patch.problems, ...texts], target, () => reader.show(patched));
  return draft;
}

/** Findings as `fieldValidation` asks. @throws ApiError 422 when it is strict */
function reportProblems(problems: readonly string[], target: PatchTarget, shown: () => string): void {
  if (problems.length === 0 || target.fieldValidation === 'Ignore') return;
  if (target.fieldValidation === 'Strict') throw refused(shown(), `strict decoding error: ${problems.join(', ')}`);
  for (const problem of problems) target.warnings.add(problem);
}

function isUntyped(patched: Json): boolean {
  const { kind, apiVersion } = patched as { readonly kind?: unknown; readonly apiVersion?: unknown };
  return kind === undefined && apiVersion === undefined;
}

/** A patch may change what the object claims to be; then it is read as that, and found to be of the wrong kind. */
function checkPatchedKind(patched: Json, patch: ReadPatch, target: PatchTarget): void {
  const { kind = '', apiVersion = '' } = patched as { readonly kind?: unknown; readonly apiVersion?: unknown };
  if (typeof kind !== 'string' || typeof apiVersion !== 'string' || (kind === '' && apiVersion === '')) return;
  const actual = gvkOf(apiVersion, kind, target.kind);
  const problem = kindProblem(actual, target.kind);
  if (problem === undefined) return;
  const schema = problem.type === 'other' ? schemaOf(actual) : undefined;
  if (schema !== undefined) {
    try {
      decodeObject(patched, schema, {});
    } catch (error) {
      throw refused(patch.shown(patched), error instanceof Error ? error.message : String(error));
    }
  }
  throw refused(patch.shown(patched), problem.text);
}

function refused(shown: string, text: string): ApiError {
  return newInvalid({ group: '', kind: '' }, '', [invalid(new FieldPath('patch'), shown, text)]);
}

/** The answers upstream gives for what is wrong with a patch. */
function withAnswers<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    switch (error.kind) {
      case 'malformed':
        throw newBadRequest(error.message);
      case 'inapplicable':
        throw new ApiError({
          code: 422,
          reason: 'Invalid',
          message: 'the server rejected our request due to an error in our request',
          details: {},
        });
      case 'unexpected':
        throw newUnknown(error.message);
    }
  }
}
