// LimitRanger: gives containers the amounts their namespace's LimitRanges set by default, and refuses Pods and claims out
// of the ranges' bounds (spec/apiserver.md §15.2).

import { podLimits, podRequests } from '@homeostat/api';
import type { LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from '@homeostat/api/types/core-v1';
import type { Mutable } from '@homeostat/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { newAdmissionForbidden } from '../admission-forbidden.ts';
import { type AdmissionHost, isAbout, resourceText } from '../admission-host.ts';
import { brokenBounds, brokenClaimBounds } from '../limits/limit-bounds.ts';
import { applyLimitDefaults } from '../limits/limit-defaults.ts';

export class LimitRanger implements AdmissionPlugin {
  readonly name = 'LimitRanger';
  readonly #host: AdmissionHost;

  constructor(host: AdmissionHost) {
    this.#host = host;
  }

  handles(operation: AdmissionAttributes['operation']): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    if (!isPodChange(attributes) || isBeingDeleted(attributes)) return;
    for (const range of await this.#ranges(attributes)) applyLimitDefaults(range, attributes.object as Mutable<Pod>);
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const isPod = isPodChange(attributes);
    if ((!isPod && !isAbout(attributes, 'persistentvolumeclaims')) || isBeingDeleted(attributes)) return;
    for (const { spec } of await this.#ranges(attributes)) {
      const complaints = (spec?.limits ?? []).flatMap((item) =>
        isPod
          ? complaintsAboutPod(item, attributes.object as Pod)
          : complaintsAboutClaim(item, attributes.object as PersistentVolumeClaim),
      );
      const texts = [...new Set(complaints)];
      if (texts.length === 0) continue;
      throw newAdmissionForbidden(attributes, texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`);
    }
  }

  async #ranges({ namespace, signal }: AdmissionAttributes): Promise<readonly LimitRange[]> {
    return this.#host.reader({ group: '', resource: 'limitranges' }).listFresh(namespace, signal);
  }
}

/** Amounts of a Pod are set at its creation and by a resize; no other update changes them. */
function isPodChange({ operation, resource, subresource }: AdmissionAttributes): boolean {
  if (resourceText(resource) !== 'pods') return false;
  return operation === 'CREATE' ? subresource === '' : subresource === 'resize';
}

function isBeingDeleted({ oldObject }: AdmissionAttributes): boolean {
  return oldObject?.metadata?.deletionTimestamp !== undefined;
}

function complaintsAboutPod(item: LimitRangeItem, pod: Pod): readonly string[] {
  if (item.type === 'Container') {
    const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
    return containers.flatMap(({ resources: { requests = {}, limits = {} } = {} }) =>
      brokenBounds(item, { requests, limits }),
    );
  }
  if (item.type !== 'Pod') return [];
  const options = { excludeOverhead: true };
  return brokenBounds(item, { requests: podRequests(pod, options), limits: podLimits(pod, options) });
}

function complaintsAboutClaim(item: LimitRangeItem, { spec }: PersistentVolumeClaim): readonly string[] {
  return item.type === 'PersistentVolumeClaim' ? brokenClaimBounds(item, spec?.resources?.requests ?? {}) : [];
}
