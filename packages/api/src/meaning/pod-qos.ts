// The quality of service class of a Pod: who is evicted first when a node runs out of memory.

import { addQuantities, compareQuantity, parseQuantity } from '@homeostat/machinery';
import type { PodQOSClass, PodSpec, ResourceRequirements } from '@homeostat/api/types/core-v1';

/** The class by the spec. A running Pod keeps the one in its status. */
export function computeQosClass(spec: PodSpec): PodQOSClass {
  const requests = new Map<string, string>();
  const limits = new Map<string, string>();
  const own = spec.resources;
  const parts =
    own === undefined ? [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((c) => c.resources) : [own];
  let guaranteed = true;
  for (const part of parts) {
    addPositive(requests, part?.requests);
    const limited = addPositive(limits, part?.limits);
    // Pod-level resources without limits leave the question to the comparison below.
    const counts = own === undefined || Object.keys(part?.limits ?? {}).length > 0;
    if (counts && limited < 2) guaranteed = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const same = [...requests].every(([name, request]) => compareQuantity(request, limits.get(name) ?? '0') === 0);
  return guaranteed && same && requests.size === limits.size ? 'Guaranteed' : 'Burstable';
}

/** Adds the amounts of cpu and memory above zero; returns how many of the two there were. */
function addPositive(total: Map<string, string>, list: ResourceRequirements['requests']): number {
  let found = 0;
  for (const name of ['cpu', 'memory']) {
    const quantity = list?.[name];
    if (quantity === undefined || parseQuantity(quantity).sign <= 0) continue;
    const known = total.get(name);
    total.set(name, known === undefined ? quantity : addQuantities(known, quantity).toString());
    found += 1;
  }
  return found;
}
