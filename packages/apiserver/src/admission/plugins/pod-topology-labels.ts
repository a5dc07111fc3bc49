// PodTopologyLabels: a Pod on a node carries the labels that say in which zone and region it is, so that it can know
// (KEP-4742). The scheduler's binding brings them to the Pod.

import type { Binding, Pod } from '@homeostat/api/types/core-v1';
import type { KubeObject, Mutable } from '@homeostat/machinery';
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

  admit({ resource, subresource, object }: AdmissionAttributes): void {
    if (resourceText(resource) !== 'pods' || object === undefined) return;
    if (subresource === '') this.#label(object, (object as Pod).spec?.nodeName ?? '');
    if (subresource !== 'binding') return;
    const { target } = object as unknown as Binding;
    if (target.kind === 'Node') this.#label(object, target.name ?? '');
  }

  #label(object: Mutable<KubeObject>, nodeName: string): void {
    if (nodeName === '') return;
    const labels = this.#host.reader({ group: '', resource: 'nodes' }).get('', nodeName)?.metadata?.labels ?? {};
    const found = copied.filter((name) => labels[name] !== undefined);
    if (found.length === 0) return;
    const topology = Object.fromEntries(found.map((name) => [name, labels[name] ?? '']));
    object.metadata = { ...object.metadata, labels: { ...object.metadata?.labels, ...topology } };
  }
}
