// A pod as the scheduler reads it: what plugins ask of it again and again, worked out once, on first use. One per version of a pod
// (`podInfoOf`), shared by queue and cache; never changed.

import type { Pod } from '@homeostat/api/types/core-v1';
import type { Amounts } from '../resources/amounts.ts';
import { assumedRequests, podAmounts, podUsage, type PodUsage } from '../resources/pod-amounts.ts';
import { affinityTermsOf, type PodAffinityTerms } from './affinity-term.ts';
import { type HostPort, hostPortsOf } from './host-ports.ts';

export class PodInfo {
  readonly pod: Pod;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** `namespace/name`. */
  readonly key: string;
  readonly priority: number;
  #requests: Amounts | undefined;
  #scoreRequests: Amounts | undefined;
  #usage: PodUsage | undefined;
  #hostPorts: readonly HostPort[] | undefined;
  #affinity: PodAffinityTerms | undefined;
  #claims: readonly string[] | undefined;

  constructor(pod: Pod) {
    const { uid = '', namespace = '', name = '' } = pod.metadata ?? {};
    this.pod = pod;
    this.uid = uid;
    this.namespace = namespace;
    this.name = name;
    this.key = `${namespace}/${name}`;
    this.priority = pod.spec?.priority ?? 0;
  }

  get labels(): Readonly<Record<string, string>> | undefined {
    return this.pod.metadata?.labels;
  }

  get nodeName(): string {
    return this.pod.spec?.nodeName ?? '';
  }

  get nominatedNodeName(): string {
    return this.pod.status?.nominatedNodeName ?? '';
  }

  get isTerminating(): boolean {
    return this.pod.metadata?.deletionTimestamp !== undefined;
  }

  /** What it asks for, for the question whether it fits. */
  get requests(): Amounts {
    return (this.#requests ??= podAmounts(this.pod));
  }

  /** What it asks for, for scores: with assumed amounts, without pod-level requests. */
  get scoreRequests(): Amounts {
    return (this.#scoreRequests ??= podAmounts(this.pod, { skipPodLevel: true, missing: assumedRequests }));
  }

  /** What it takes from the node it runs on. */
  get usage(): PodUsage {
    return (this.#usage ??= podUsage(this.pod));
  }

  get hostPorts(): readonly HostPort[] {
    return (this.#hostPorts ??= hostPortsOf(this.pod));
  }

  get affinity(): PodAffinityTerms {
    return (this.#affinity ??= affinityTermsOf(this.pod));
  }

  /** Names of its PersistentVolumeClaims, those of ephemeral volumes not included. */
  get claimNames(): readonly string[] {
    return (this.#claims ??= (this.pod.spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
      persistentVolumeClaim === undefined ? [] : [persistentVolumeClaim.claimName],
    ));
  }

  /** The pod as if it were bound to a node; shares what has been worked out. */
  assumedOn(nodeName: string): PodInfo {
    const { pod } = this;
    const assumed = new PodInfo({ ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName } });
    assumed.#requests = this.#requests;
    assumed.#scoreRequests = this.#scoreRequests;
    assumed.#usage = this.#usage;
    assumed.#hostPorts = this.#hostPorts;
    assumed.#affinity = this.#affinity;
    assumed.#claims = this.#claims;
    infos.set(assumed.pod, assumed);
    return assumed;
  }
}

const infos = new WeakMap<Pod, PodInfo>();

/** The info of a version of a pod; the same one every time. */
export function podInfoOf(pod: Pod): PodInfo {
  let info = infos.get(pod);
  if (info === undefined) infos.set(pod, (info = new PodInfo(pod)));
  return info;
}
