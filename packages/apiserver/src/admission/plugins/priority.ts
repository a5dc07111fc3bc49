// Priority: turns a Pod's class name into its number and preemption policy, and keeps the global default unique
// (spec/apiserver.md §15.2).

import type { Pod } from '@homeostat/api/types/core-v1';
import type { PriorityClass } from '@homeostat/api/types/scheduling-v1';
import type { Mutable } from '@homeostat/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { newAdmissionForbidden } from '../admission-forbidden.ts';
import { type AdmissionHost, isAbout } from '../admission-host.ts';

interface Resolved {
  readonly name: string;
  readonly value: number;
  readonly policy: NonNullable<PriorityClass['preemptionPolicy']> | undefined;
}

export class Priority implements AdmissionPlugin {
  readonly name = 'Priority';
  readonly #host: AdmissionHost;

  constructor(host: AdmissionHost) {
    this.#host = host;
  }

  handles(operation: AdmissionAttributes['operation']): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    if (!isAbout(attributes, 'pods')) return;
    const pod = attributes.object as Mutable<Pod> | undefined;
    if (pod?.spec === undefined) return;
    if (attributes.operation === 'CREATE') await this.#setPriority(attributes, pod.spec);
    else keepPriority(pod.spec, attributes.oldObject as Pod | undefined);
  }

  validate(attributes: AdmissionAttributes): void {
    if (!isAbout(attributes, 'priorityclasses.scheduling.k8s.io')) return;
    const wanted = attributes.object as PriorityClass;
    if (wanted.globalDefault !== true) return;
    const present = this.#defaultClass();
    if (present === undefined) return;
    const { name = '' } = present.metadata ?? {};
    if (attributes.operation === 'UPDATE' && name === wanted.metadata?.name) return;
    throw newAdmissionForbidden(
      attributes,
      `PriorityClass ${name} is already marked as default. Only one default can exist`,
    );
  }

  async #setPriority(attributes: AdmissionAttributes, spec: NonNullable<Mutable<Pod>['spec']>): Promise<void> {
    const { name, value, policy } = await this.#resolve(attributes, spec.priorityClassName ?? '');
    const computed = 'must not be provided in pod spec; priority admission controller computed';
    const tail = 'from the given PriorityClass name';
    if (spec.priority !== undefined && spec.priority !== value) {
      const text = `the integer value of priority (${spec.priority}) ${computed} ${value} ${tail}`;
      throw newAdmissionForbidden(attributes, text);
    }
    if (policy !== undefined && spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
      const text = `the string value of PreemptionPolicy (${spec.preemptionPolicy}) ${computed} ${policy} ${tail}`;
      throw newAdmissionForbidden(attributes, text);
    }
    if (name !== '') spec.priorityClassName = name;
    spec.priority = value;
    if (policy !== undefined) spec.preemptionPolicy = policy;
  }

  async #resolve(attributes: AdmissionAttributes, name: string): Promise<Resolved> {
    if (name === '') {
      const byDefault = this.#defaultClass();
      if (byDefault === undefined) return { name: '', value: 0, policy: 'PreemptLowerPriority' };
      return resolved(byDefault);
    }
    const reader = this.#classes();
    const found = reader.get('', name) ?? (await reader.getFresh('', name, attributes.signal));
    if (found === undefined) {
      throw newAdmissionForbidden(attributes, `no PriorityClass with name ${name} was found`);
    }
    return resolved(found as PriorityClass);
  }

  /** The global default; the lowest when a race has made two. */
  #defaultClass(): PriorityClass | undefined {
    const all = this.#classes().list() as readonly PriorityClass[];
    const defaults = all.filter((each) => each.globalDefault === true);
    return defaults.reduce<PriorityClass | undefined>(
      (least, each) => (least === undefined || each.value < least.value ? each : least),
      undefined,
    );
  }

  #classes() {
    return this.#host.reader({ group: 'scheduling.k8s.io', resource: 'priorityclasses' });
  }
}

function resolved(found: PriorityClass): Resolved {
  return { name: found.metadata?.name ?? '', value: found.value, policy: found.preemptionPolicy };
}

/** A client that leaves out what admission has set means no change. */
function keepPriority(spec: NonNullable<Mutable<Pod>['spec']>, old: Pod | undefined): void {
  const { priority, preemptionPolicy } = old?.spec ?? {};
  if (spec.priority === undefined && priority !== undefined) spec.priority = priority;
  if (spec.preemptionPolicy === undefined && preemptionPolicy !== undefined) spec.preemptionPolicy = preemptionPolicy;
}
