// Manifests from files, directories and standard input: YAML or JSON, several documents, Lists taken apart.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { KubeObject } from '@homeostat/machinery';
import { decodeYamlDocuments } from '@homeostat/machinery/yaml';
import { CliError } from '../cli-error.ts';

/** One object and where it was found. */
export interface Manifest {
  readonly object: KubeObject & { readonly apiVersion: string; readonly kind: string };
  readonly source: string;
}

/** Reads all objects, in order. @throws CliError naming the file and what is wrong in it */
export function readManifests(names: readonly string[], recursive: boolean): readonly Manifest[] {
  const manifests = names.flatMap((name) => filesOf(name, recursive)).flatMap((file) => readManifest(file));
  if (manifests.length === 0) throw new CliError('no objects passed to apply');
  return manifests;
}

function filesOf(name: string, recursive: boolean): readonly string[] {
  if (name === '-') return [name];
  try {
    if (!statSync(name).isDirectory()) return [name];
  } catch (error) {
    throw new CliError(`the path ${JSON.stringify(name)} does not exist`, 1, { cause: error });
  }
  return readdirSync(name, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const file = path.join(name, entry.name);
      if (entry.isDirectory()) return recursive ? filesOf(file, true) : [];
      return /\.(ya?ml|json)$/.test(entry.name) ? [file] : [];
    });
}

function readManifest(file: string): readonly Manifest[] {
  const source = file === '-' ? 'standard input' : file;
  const text = readFileSync(file === '-' ? 0 : file, 'utf8');
  let documents: readonly unknown[];
  try {
    documents = decodeYamlDocuments(text);
  } catch (error) {
    throw new CliError(`error parsing ${source}: ${error instanceof Error ? error.message : String(error)}`, 1, {
      cause: error,
    });
  }
  return documents.flatMap((document) =>
    document === null || document === undefined ? [] : flatten(document, source),
  );
}

function flatten(document: unknown, source: string): readonly Manifest[] {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new CliError(`${source}: a document is not an object`);
  const object = document as KubeObject & { readonly items?: unknown };
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== 'string' || apiVersion === '')
    throw new CliError(`error validating ${source}: apiVersion not set`);
  if (typeof kind !== 'string' || kind === '') throw new CliError(`error validating ${source}: kind not set`);
  if (kind === 'List' && Array.isArray(object.items)) return object.items.flatMap((item) => flatten(item, source));
  return [{ object: { ...object, apiVersion, kind }, source }];
}
