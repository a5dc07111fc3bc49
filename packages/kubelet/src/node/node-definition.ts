// What a node is made of: what the user says, and what follows from it.

import type { Taint } from '@homeostat/api/types/core-v1';

export interface NodeDefinition {
  /** Lower-case DNS name. */
  readonly name: string;
  /** Beyond those every kubelet gives its node. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Put on the node when it is registered. */
  readonly taints?: readonly Taint[];
  /** Over the defaults: cpu 8, memory 32Gi, pods 110, ephemeral-storage 100Gi. Extended resources may be named too. */
  readonly capacity?: Readonly<Record<string, string>>;
  /** e.g. `simulated://zone-a/node-1`. */
  readonly providerID?: string;
}

/** A node and its place in the pool. */
export interface NodeIdentity {
  readonly definition: NodeDefinition;
  readonly hostIP: string;
  /** Changes with every start of the machine. */
  readonly bootId: string;
  readonly machineId: string;
  readonly systemUuid: string;
  readonly operatingSystem: string;
  readonly architecture: string;
  /** `<name>://<version>` of the container runtime. */
  readonly runtimeVersion: string;
  readonly osImage: string;
  readonly kernelVersion: string;
}

export const kubeletVersion = 'v1.36.2';
export const kubeletPort = 10250;
