// What a pod worker needs of its node: the runtime, a voice, and somebody who calls it again.

import type { Pod } from '@homeostat/api/types/core-v1';
import type { Env } from '@homeostat/base';
import type { PodEvent } from '../pod/pod-event.ts';
import type { PodVerdict } from '../pod/pod-facts.ts';
import type { ReferenceReader } from '../references/reference-reader.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';

export interface WorkerHost {
  readonly env: Env;
  readonly runtime: ContainerRuntime;
  readonly hostIPs: readonly string[];
  readonly references: ReferenceReader;
  emit(pod: Pod, event: PodEvent): void;
  /** Calls `pass` soon, or after a time. Of several requests the earliest counts. */
  requestPass(uid: string, delayMs?: number): void;
  /** Calls `tickProbes` after a time. */
  requestProbes(uid: string, delayMs: number): void;
  /** The status has changed, or the Pod may be deleted: write soon, or after a time. */
  requestWrite(uid: string, delayMs?: number): void;
  /** Allots the Pod the resources its spec asks for, if there is room; why not, otherwise. */
  allot(uid: string, pod: Pod): PodVerdict | undefined;
  /** Nothing of the Pod runs any more, and nothing will. */
  finished(uid: string): void;
}
