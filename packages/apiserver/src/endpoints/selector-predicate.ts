// Label and field selectors of a request as a predicate over cached objects (spec/apiserver.md §5.4, §5.5).

import type { KindStrategy } from '@homeostat/api';
import {
  FieldSelector,
  type GroupVersionKind,
  newBadRequest,
  parseFieldSelector,
  parseLabelSelector,
  type SelectableFields,
  toApiVersion,
} from '@homeostat/machinery';
import type { Predicate } from '../watch-cache/cache-watcher.ts';
import type { ObjectVersion } from '../watch-cache/object-version.ts';

export interface SelectorRequest {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** Namespace of the path; empty for all. */
  readonly namespace: string;
  readonly kind: GroupVersionKind;
  readonly namespaced: boolean;
  readonly strategy: KindStrategy;
}

export interface SelectedPredicate extends Predicate {
  /** Whether a selector narrows it: then nobody counts the remaining items. */
  readonly selective: boolean;
}

/** @throws ApiError 400 for selectors that can't be parsed or name unknown fields */
export function selectorPredicate(request: SelectorRequest): SelectedPredicate {
  const { namespace } = request;
  if (request.labelSelector === '' && request.fieldSelector === '') return { namespace, name: '', selective: false };
  const labels = request.labelSelector === '' ? undefined : parsed(() => parseLabelSelector(request.labelSelector));
  const fields = fieldSelector(request);
  const hot = fields.terms.find((term) => term.operator === '=' && !term.field.startsWith('metadata.'));
  const strategy = request.strategy;
  const selectable = strategy.selectableFields;
  const fieldsOf =
    selectable === undefined ? undefined : (object: object) => selectable.call(strategy, object as never);
  return {
    namespace: namespace === '' ? (fields.exactMatch('metadata.namespace') ?? '') : namespace,
    name: fields.exactMatch('metadata.name') ?? '',
    selective: true,
    matches: (version: ObjectVersion) =>
      (labels === undefined || labels.isEmpty || labels.matches(version.stored.metadata?.labels)) &&
      (fields.isEmpty || fields.matches(withSeveral(version.fields(fieldsOf)))),
    ...(hot === undefined ? {} : { indexed: { field: hot.field, value: hot.value } }),
  };
}

/** `status.podIPs` holds several values, any of which may be meant; strategies join them by commas. */
function withSeveral(fields: Readonly<Record<string, string>>): SelectableFields {
  const ips = fields['status.podIPs'];
  return ips === undefined ? fields : { ...fields, 'status.podIPs': ips.split(',') };
}

function fieldSelector(request: SelectorRequest): FieldSelector {
  if (request.fieldSelector === '') return FieldSelector.everything;
  const selector = parsed(() => parseFieldSelector(request.fieldSelector));
  return selector.transform((field, value) => [canonicalLabel(field, request), value]);
}

function canonicalLabel(label: string, request: SelectorRequest): string {
  const known = request.strategy.fieldLabels;
  if (label === 'metadata.name') return label;
  if (known === undefined) {
    if (label === 'metadata.namespace') return label;
    throw newBadRequest(
      `${JSON.stringify(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
    );
  }
  // Kinds with labels of their own know the namespace only when they have one.
  if (label === 'metadata.namespace' && request.namespaced) return label;
  if (Array.isArray(known)) {
    if (known.includes(label)) return label;
  } else {
    const canonical = (known as Readonly<Record<string, string>>)[label];
    if (canonical !== undefined) return canonical;
  }
  throw newBadRequest(unsupportedLabel(label, request.kind));
}

/** Two kinds have words of their own. */
function unsupportedLabel(label: string, kind: GroupVersionKind): string {
  if (kind.kind === 'Job' && kind.group === 'batch')
    return `field label ${JSON.stringify(label)} not supported for Job`;
  if (kind.group === 'resource.k8s.io') {
    return `field label not supported for ${toApiVersion(kind)}, Kind=${kind.kind}: ${label}`;
  }
  return `field label not supported: ${label}`;
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw newBadRequest(error instanceof Error ? error.message : String(error));
  }
}
