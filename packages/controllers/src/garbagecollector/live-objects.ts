// The garbage collector's reads and writes: metadata of any kind, references taken away, deletes that only succeed on
// what was judged (case B6).

import { isApiError } from '@homeostat/base';
import { type Client, metadataOf, type ResourceType } from '@homeostat/client';
import { deepEqual, type Json, type KubeObject, type OwnerReference } from '@homeostat/machinery';
import { inNamespace } from '../shared/controller-ref.ts';
import type { Identity } from './graph.ts';

/** An object to write to, and the uid it must still have. */
type Target = Pick<Identity, 'namespace' | 'name' | 'uid'>;

interface ReferenceChange {
  /** As a strategic merge patch says it. */
  readonly strategic: Json;
  /** The whole list after the change. */
  change(references: readonly OwnerReference[]): readonly OwnerReference[];
}

export class LiveObjects {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** The object under these coordinates, whatever its uid; undefined when there is none. */
  async get(
    resource: ResourceType,
    namespace: string,
    name: string,
    signal: AbortSignal,
  ): Promise<KubeObject | undefined> {
    try {
      return await this.#client.get(metadataOf(resource), { name, ...(namespace === '' ? {} : { namespace }), signal });
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Takes the references to `uids` away from the object of this identity. An object that is gone is fine. */
  async dropReferences(
    resource: ResourceType,
    identity: Target,
    uids: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const strategic = uids.map((uid) => ({ $patch: 'delete', uid }));
    const kept = (references: readonly OwnerReference[]): readonly OwnerReference[] =>
      references.filter((reference) => !uids.includes(reference.uid));
    await this.#patchReferences(resource, identity, { strategic, change: kept }, signal);
  }

  /** Makes all references of `object` non-blocking. */
  async unblock(resource: ResourceType, object: KubeObject, signal: AbortSignal): Promise<void> {
    const unblocked = (references: readonly OwnerReference[]): readonly OwnerReference[] =>
      references.map((reference) => ({ ...reference, blockOwnerDeletion: false }));
    const strategic = unblocked(object.metadata?.ownerReferences ?? []).map((reference) => ({ ...reference }));
    const { namespace = '', name = '', uid = '' } = object.metadata ?? {};
    await this.#patchReferences(resource, { namespace, name, uid }, { strategic, change: unblocked }, signal);
  }

  /** Removes a finalizer, on the version that is there now. */
  async removeFinalizer(
    resource: ResourceType,
    identity: Identity,
    finalizer: string,
    signal: AbortSignal,
  ): Promise<void> {
    const live = await this.get(resource, identity.namespace, identity.name, signal);
    if (live === undefined || live.metadata?.uid !== identity.uid) return;
    const finalizers = live.metadata.finalizers ?? [];
    if (!finalizers.includes(finalizer)) return;
    const patch = {
      metadata: {
        resourceVersion: live.metadata.resourceVersion ?? '',
        finalizers: finalizers.filter((name) => name !== finalizer),
      },
    };
    await this.#ignoreGone(
      this.#client.patch(resource, { name: identity.name, ...inNamespace(live), type: 'merge', patch, signal }),
    );
  }

  /**
   * Deletes exactly the version that was judged. When it changed meanwhile but still has the same owners, the judgement
   * stands for the new version too; else the conflict is thrown and the object is judged again.
   */
  async delete(
    resource: ResourceType,
    object: KubeObject,
    propagationPolicy: 'Background' | 'Foreground' | 'Orphan',
    signal: AbortSignal,
  ): Promise<'deleted' | 'gone'> {
    const { name = '', uid = '', resourceVersion = '' } = object.metadata ?? {};
    const target = { name, ...inNamespace(object), propagationPolicy, signal };
    try {
      await this.#client.delete(resource, { ...target, preconditions: { uid, resourceVersion } });
      return 'deleted';
    } catch (error) {
      if (isApiError(error, 'NotFound')) return 'gone';
      if (!isApiError(error, 'Conflict')) throw error;
      const live = await this.get(resource, object.metadata?.namespace ?? '', name, signal);
      if (live === undefined || live.metadata?.uid !== uid) return 'gone';
      if (!deepEqual(live.metadata.ownerReferences ?? [], object.metadata?.ownerReferences ?? [])) throw error;
      await this.#ignoreGone(this.#client.delete(resource, { ...target, preconditions: { uid } }));
      return 'deleted';
    }
  }

  async #patchReferences(
    resource: ResourceType,
    { namespace, name, uid }: Target,
    { strategic, change }: ReferenceChange,
    signal: AbortSignal,
  ): Promise<void> {
    const target = { name, ...(namespace === '' ? {} : { namespace }), signal };
    try {
      const patch = { metadata: { uid, ownerReferences: strategic } };
      await this.#ignoreGone(this.#client.patch(resource, { ...target, type: 'strategic', patch }));
    } catch (error) {
      // Custom resources have no strategic merge: the whole list, bound to the version that is there now.
      if (!isApiError(error, 'UnsupportedMediaType')) throw error;
      const live = await this.get(resource, namespace, name, signal);
      if (live === undefined || live.metadata?.uid !== uid) return;
      const ownerReferences = change(live.metadata.ownerReferences ?? []).map((reference) => ({ ...reference }));
      const patch = { metadata: { resourceVersion: live.metadata.resourceVersion ?? '', ownerReferences } };
      await this.#ignoreGone(this.#client.patch(resource, { ...target, type: 'merge', patch }));
    }
  }

  async #ignoreGone(write: Promise<unknown>): Promise<void> {
    try {
      await write;
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }
}
