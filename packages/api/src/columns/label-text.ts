// How tables print label maps and label selectors (spec/apiserver.md §11.1). Matching is the business of
// machinery's selectors; this only writes them down, in the order of their keys.

import { compareBytewise } from '@homeostat/machinery';

/** The parts of a `metav1.LabelSelector` that are printed. */
export interface PrintableSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?:
    | readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] | undefined }[]
    | undefined;
}

/** `a=b,c=d`, sorted by key; `<none>` when empty. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const text = sortedKeys(labels)
    .map((key) => `${key}=${labels?.[key] ?? ''}`)
    .join(',');
  return text === '' ? '<none>' : text;
}

/** The selector in list-option grammar, e.g. `a=b,!c,d in (x,y)`; empty for none and for the empty selector. */
export function selectorText(selector: PrintableSelector | undefined): string {
  const parts = sortedKeys(selector?.matchLabels).map((key) => ({
    key,
    text: `${key}=${selector?.matchLabels?.[key] ?? ''}`,
  }));
  for (const { key, operator, values } of selector?.matchExpressions ?? []) {
    parts.push({ key, text: expressionText(key, operator, values ?? []) });
  }
  return parts
    .sort((a, b) => compareBytewise(a.key, b.key))
    .map((part) => part.text)
    .join(',');
}

/** As `selectorText`, with `<none>` for nothing. */
export function formatSelector(selector: PrintableSelector | undefined): string {
  const text = selectorText(selector);
  return text === '' ? '<none>' : text;
}

function expressionText(key: string, operator: string, values: readonly string[]): string {
  const list = [...values].sort(compareBytewise).join(',');
  switch (operator) {
    case 'In':
      return `${key} in (${list})`;
    case 'NotIn':
      return `${key} notin (${list})`;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return key;
  }
}

function sortedKeys(labels: Readonly<Record<string, string>> | undefined): string[] {
  return Object.keys(labels ?? {}).sort(compareBytewise);
}
