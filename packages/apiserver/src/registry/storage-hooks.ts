// What some resources do around a write besides their strategy: Service addresses are allocated before the object is
// stored, and given back when the write fails or the object goes (upstream's BeginCreate, BeginUpdate, AfterDelete).

import type { KubeObject, Mutable } from '@homeostat/machinery';

export interface HookContext {
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

/** Called with whether the object was stored. */
export type FinishHook = (stored: boolean) => Promise<void> | void;

export interface StorageHooks {
  /** Before validation of a create; may change the draft. @throws ApiError */
  beginCreate?(
    draft: Mutable<KubeObject>,
    context: HookContext,
  ): Promise<FinishHook | undefined> | FinishHook | undefined;
  /** Before validation of an update; may change the draft. @throws ApiError */
  beginUpdate?(
    draft: Mutable<KubeObject>,
    old: KubeObject,
    context: HookContext,
  ): Promise<FinishHook | undefined> | FinishHook | undefined;
  afterDelete?(object: KubeObject, context: HookContext): Promise<void> | void;
  /** Whether an update that leaves no finalizers of a deleting object may remove it; default yes. */
  mayVanish?(draft: KubeObject): boolean;
}
