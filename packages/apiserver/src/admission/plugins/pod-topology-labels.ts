// PodTopologyLabels: a Pod that gets a node, by its own creation or by a Binding, gets the node's region and zone as labels, so that
// what runs in it can be told through the downward API (spec/apiserver.md §12.4).

import type { KubeObject, Mutable } from '@homeostat/machinery';
import type { Pod } from '@homeostat/api/types/core-v1';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { type AdmissionHost, isAbout, resourceText } from '../admission-host.ts';

const copiedLabels = ['topology.kubernetes.io/region', 'topology.kubernetes.io/zone'] as const;

export class PodTopologyLabels implements AdmissionPlugin {
  readonly name = 'PodTopologyLabels';
  readonly #host: AdmissionHost;

  constructor(host: AdmissionHost) {
    this.#host = host;
  }

  handles(operation: AdmissionAttributes['operation']): boolean {
    return operation === 'CREATE';
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    const node = nodeOf(attributes);
    const { object, signal } = attributes;
    if (node === '' || object === undefined) return;
    const found = await this.#host.reader({ group: '', resource: 'nodes' }).getFresh('', node, signal);
    for (const label of copiedLabels) {
      const value = found?.metadata?.labels?.[label];
      if (value === undefined) continue;
      const metadata = (object.metadata ??= {});
      metadata.labels = { ...metadata.labels, [label]: value };
    }
  }
}

interface BindingLike extends KubeObject {
  readonly target?: { readonly name?: string };
}

// Upstream knows the Binding by either of its two ways.
function nodeOf(attributes: AdmissionAttributes): string {
  const { object, resource, subresource } = attributes;
  if (isAbout(attributes, 'pods')) return (object as Mutable<Pod> | undefined)?.spec?.nodeName ?? '';
  const binding = (resourceText(resource) === 'pods' && subresource === 'binding') || isAbout(attributes, 'bindings');
  return binding ? ((object as BindingLike | undefined)?.target?.name ?? '') : '';
}
