// Field selectors over custom resources: the fields a definition names, by their path without its dot (`spec.color`).

import type { SelectableField } from '@homeostat/api/types/apiextensions-v1';
import type { KubeObject } from '@homeostat/machinery';
import { simplePath, valueAt } from './scale-paths.ts';

export interface SelectableFields {
  /** `spec.color` */
  readonly labels: readonly string[];
  /** Values by label; a missing field is the empty text. */
  values(object: KubeObject): Readonly<Record<string, string>>;
}

export function selectableFieldsOf(fields: readonly SelectableField[]): SelectableFields {
  const paths = fields.map(({ jsonPath }) => simplePath(jsonPath));
  const labels = paths.map((path) => path.join('.'));
  return {
    labels,
    values: (object) => Object.fromEntries(paths.map((path, i) => [labels[i] ?? '', textAt(object, path)])),
  };
}

function textAt(object: KubeObject, path: readonly string[]): string {
  const value = valueAt(object, path);
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}
