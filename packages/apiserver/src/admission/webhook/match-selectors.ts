// Namespace and object selectors of a webhook or a policy. A namespace that is not there counts only once the rules match: until then
// it is nobody's business.

import { type ApiError } from '@homeostat/base';
import { type KubeObject, type LabelSelector, newInternalError, newNotFound } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { AdmissionHost } from '../admission-host.ts';
import { isNamespaces } from './match-rules.ts';

/** Parsed when asked for. @throws SelectorError */
export interface Selectors {
  namespaceSelector(): LabelSelector;
  objectSelector(): LabelSelector;
}

export type SelectorMatch = boolean | { readonly error: ApiError };

export async function namespaceMatches(
  selectors: Selectors,
  attributes: AdmissionAttributes,
  host: AdmissionHost,
): Promise<SelectorMatch> {
  const { resource, namespace, subresource, operation, object } = attributes;
  const aboutNamespace = isNamespaces(resource);
  if (namespace === '' && !aboutNamespace) return true;
  const selector = parsed(() => selectors.namespaceSelector());
  if ('error' in selector) return selector;
  if (selector.isEmpty) return true;
  // The cache does not have the newest labels of a Namespace that is being written.
  if (aboutNamespace && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'))
    return selector.matches(object?.metadata?.labels);
  const name = aboutNamespace ? attributes.name : namespace;
  const reader = host.reader({ group: '', resource: 'namespaces' });
  const found = reader.get('', name) ?? (await reader.getFresh('', name, attributes.signal));
  if (found === undefined) return { error: newNotFound({ group: '', resource: 'namespaces' }, name) };
  return selector.matches(found.metadata?.labels);
}

/** Whether the new or the old object has the labels. Objects without metadata (options of connections) have none. */
export function objectMatches(selectors: Selectors, { object, oldObject }: AdmissionAttributes): SelectorMatch {
  const selector = parsed(() => selectors.objectSelector());
  if ('error' in selector) return selector;
  return selector.isEmpty || hasLabels(selector, object) || hasLabels(selector, oldObject);
}

function hasLabels(selector: LabelSelector, object: KubeObject | undefined): boolean {
  return object?.metadata !== undefined && selector.matches(object.metadata.labels);
}

function parsed(read: () => LabelSelector): LabelSelector | { readonly error: ApiError } {
  try {
    return read();
  } catch (error) {
    return { error: newInternalError(error) };
  }
}
