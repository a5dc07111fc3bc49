// The annotation `endpoints.kubernetes.io/last-change-trigger-time` (spec/infrastructure.md §9.4): the earliest change
// of the service or its pods that a write answers. A memory of the process: after a restart the first write of a service
// carries the service's own time.

import type { Pod, Service } from '@homeostat/api/types/core-v1';
import { readyTransition } from './service-pods.ts';

export const triggerTimeAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';

interface Seen {
  readonly serviceTime: string;
  readonly podTimes: ReadonlyMap<string, string>;
}

export class TriggerTimeTracker {
  readonly #seen = new Map<string, Seen>();

  /**
   * Notes the present times of a service and its pods and returns the earliest that is newer than at the last call;
   * undefined when none is.
   */
  compute(key: string, service: Service, pods: readonly Pod[]): string | undefined {
    const serviceTime = service.metadata?.creationTimestamp ?? '';
    const podTimes = new Map<string, string>();
    for (const pod of pods) {
      const time = readyTransition(pod);
      if (time !== undefined) podTimes.set(pod.metadata?.name ?? '', time);
    }
    const before = this.#seen.get(key);
    this.#seen.set(key, { serviceTime, podTimes });
    if (before === undefined) return serviceTime === '' ? undefined : serviceTime;
    const newer = serviceTime > before.serviceTime ? [serviceTime] : [];
    for (const [name, time] of podTimes) if (time > (before.podTimes.get(name) ?? '')) newer.push(time);
    return newer.toSorted()[0];
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}
