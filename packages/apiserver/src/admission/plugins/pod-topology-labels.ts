// PodTopologyLabels: a Pod on a node carries the labels that say in which zone and region it is, so that it can know
// (KEP-4742). The scheduler's binding brings them to the Pod.

import type { Binding, Pod } from '@homeostat/api/types/core-v1';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { type AdmissionHost, resourceText } from '../admission-host.ts';

const copied: readonly string[] = ['topology.kubernetes.io/region', 'topology.kubernetes.io/zone'];

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
    const nodeName = nodeNameOf(attributes);
    const { object, signal } = attributes;
    if (nodeName === '' || object === undefined) return;
    const node = await this.#host.reader({ group: '', resource: 'nodes' }).getFresh('', nodeName, signal);
    const labels = node?.metadata?.labels ?? {};
    const found = copied.filter((name) => labels[name] !== undefined);
    if (found.length === 0) return;
    const topology = Object.fromEntries(found.map((name) => [name, labels[name] ?? '']));
    object.metadata = { ...object.metadata, labels: { ...object.metadata?.labels, ...topology } };
  }
}

/** Empty when the request puts no Pod on a node. */
function nodeNameOf({ resource, subresource, object }: AdmissionAttributes): string {
  if (resourceText(resource) !== 'pods') return '';
  if (subresource === '') return (object as Pod | undefined)?.spec?.nodeName ?? '';
  const target = subresource === 'binding' ? (object as unknown as Binding | undefined)?.target : undefined;
  return target?.kind === 'Node' ? (target.name ?? '') : '';
}
