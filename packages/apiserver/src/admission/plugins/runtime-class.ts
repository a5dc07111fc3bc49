// RuntimeClass: a Pod takes over the overhead, node selector and tolerations of its runtime class (spec/apiserver.md §15.2).

import type { Pod, Toleration } from '@homeostat/api/types/core-v1';
import type { RuntimeClass as RuntimeClassObject } from '@homeostat/api/types/node-v1';
import { compareQuantity, deepEqual, type Json, type Mutable, quote } from '@homeostat/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { newAdmissionForbidden } from '../admission-forbidden.ts';
import { type AdmissionHost, isAbout } from '../admission-host.ts';

type Quantities = Readonly<Record<string, string>>;

export class RuntimeClass implements AdmissionPlugin {
  readonly name = 'RuntimeClass';
  readonly #host: AdmissionHost;

  constructor(host: AdmissionHost) {
    this.#host = host;
  }

  handles(operation: AdmissionAttributes['operation']): boolean {
    return operation === 'CREATE';
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    if (!isAbout(attributes, 'pods')) return;
    const { spec } = attributes.object as Mutable<Pod>;
    const found = await this.#find(attributes);
    if (spec === undefined || found === undefined) return;
    if (found.overhead !== undefined) {
      const fixed = found.overhead.podFixed ?? {};
      if (Object.keys(spec.overhead ?? {}).length > 0 && !sameQuantities(fixed, spec.overhead)) {
        throw mismatch(attributes);
      }
      spec.overhead = { ...fixed };
    }
    if (found.scheduling === undefined) return;
    const selector = { ...spec.nodeSelector };
    for (const [key, value] of Object.entries(found.scheduling.nodeSelector ?? {})) {
      const own = selector[key];
      if (own !== undefined && own !== value) {
        const text = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`;
        throw newAdmissionForbidden(attributes, `conflict: ${text}`);
      }
      selector[key] = value;
    }
    if (Object.keys(selector).length > 0) spec.nodeSelector = selector;
    const tolerations = mergeTolerations(spec.tolerations ?? [], found.scheduling.tolerations ?? []);
    if (tolerations.length > 0) spec.tolerations = tolerations.map((each) => ({ ...each }));
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (!isAbout(attributes, 'pods')) return;
    const { spec } = attributes.object as Pod;
    const found = await this.#find(attributes);
    if (found?.overhead !== undefined) {
      if (!sameQuantities(found.overhead.podFixed ?? {}, spec?.overhead)) throw mismatch(attributes);
    } else if (spec?.overhead !== undefined) {
      throw newAdmissionForbidden(
        attributes,
        'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
      );
    }
  }

  async #find(attributes: AdmissionAttributes): Promise<RuntimeClassObject | undefined> {
    const name = (attributes.object as Pod).spec?.runtimeClassName;
    if (name === undefined) return undefined;
    const reader = this.#host.reader({ group: 'node.k8s.io', resource: 'runtimeclasses' });
    const found = reader.get('', name) ?? (await reader.getFresh('', name, attributes.signal));
    if (found === undefined) {
      throw newAdmissionForbidden(attributes, `pod rejected: RuntimeClass ${quote(name)} not found`);
    }
    return found as RuntimeClassObject;
  }
}

function mismatch(attributes: AdmissionAttributes): Error {
  const text = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
  return newAdmissionForbidden(attributes, text);
}

function sameQuantities(a: Quantities, b: Quantities = {}): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => b[key] !== undefined && compareQuantity(a[key] ?? '0', b[key]) === 0);
}

/** Both lists, without those that another one includes. */
function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): readonly Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  all.forEach((toleration, index) => {
    if (merged.some((other) => includes(other, toleration))) return;
    const rest = all.slice(index + 1);
    if (rest.some((other) => !same(other, toleration) && includes(other, toleration))) return;
    merged.push(toleration);
  });
  return merged;
}

function includes(wide: Toleration, narrow: Toleration): boolean {
  if (same(wide, narrow)) return true;
  if ((narrow.key ?? '') !== (wide.key ?? '') && ((wide.key ?? '') !== '' || wide.operator !== 'Exists')) return false;
  if ((narrow.effect ?? '') !== (wide.effect ?? '') && (wide.effect ?? '') !== '') return false;
  if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  if (wide.operator === 'Exists') return true;
  return narrow.operator === 'Equal' && (narrow.value ?? '') === (wide.value ?? '');
}

function same(a: Toleration, b: Toleration): boolean {
  return deepEqual(a as unknown as Json, b as unknown as Json);
}
