// Conditions and owner references: pure steps from object to object. Case ids: B7.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '@homeostat/client';
import { newWidget, parts, type Widget, widgets } from '../testing/fake-server.ts';
import { type Condition, findCondition, isConditionSet, removeCondition, setCondition } from './conditions.ts';
import { createOrPatch } from './create-or-update.ts';
import { finalized } from './finalizer.ts';
import {
  AlreadyOwnedError,
  hasOwnerReference,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from './owner-references.ts';
import { patchStatus } from './status-patch.ts';

describe('setCondition()', () => {
  const ready = { type: 'Ready', status: 'True', reason: 'AllParts' } as const;

  it('moves the transition time with the status alone, and keeps the list when nothing changes', () => {
    const first = setCondition(undefined, ready, 0);
    assert.deepEqual(first, [{ ...ready, message: '', lastTransitionTime: '1970-01-01T00:00:00Z' }]);
    assert.equal(setCondition(first, ready, 60_000), first);
    const other = setCondition(first, { type: 'Synced', status: 'False', reason: 'Late' }, 5_000);
    const told = setCondition(other, { ...ready, message: 'm', observedGeneration: 3 }, 60_000);
    assert.deepEqual(told[0], { ...first[0], message: 'm', observedGeneration: 3 });
    const turned = setCondition(told, { ...ready, status: 'False' }, 60_000);
    assert.equal(findCondition(turned, 'Ready')?.lastTransitionTime, '1970-01-01T00:01:00Z');
    assert.deepEqual(
      turned.map(({ type }) => type),
      ['Ready', 'Synced'],
    );
    assert.equal(isConditionSet(turned, 'Ready'), false);
    assert.equal(isConditionSet(turned, 'Ready', 'False'), true);
  });

  it('removes a type, and nothing where it is not', () => {
    const list: readonly Condition[] = setCondition(undefined, ready, 0);
    assert.deepEqual(removeCondition(list, 'Ready'), []);
    assert.equal(removeCondition(list, 'Other'), list);
  });
});

describe('setControllerReference()', () => {
  const object = { ...newWidget('w'), metadata: { ...newWidget('w').metadata, uid: 'u1' } };
  const owner = { object, resource: widgets };

  it('writes the reference once, and takes the place of a former object of the name', () => {
    const owned = setControllerReference(newWidget('p'), owner);
    assert.deepEqual(owned.metadata?.ownerReferences, [
      {
        apiVersion: 'example.com/v1',
        kind: 'Widget',
        name: 'w',
        uid: 'u1',
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    assert.equal(setControllerReference(owned, owner), owned);
    const recreated = { ...owner, object: { ...object, metadata: { ...object.metadata, uid: 'u2' } } };
    const again = setControllerReference(owned, recreated);
    assert.deepEqual(
      again.metadata?.ownerReferences?.map(({ uid }) => uid),
      ['u2'],
    );
    assert.deepEqual([hasOwnerReference(again, owner), hasOwnerReference(again, recreated)], [false, true]);
    assert.deepEqual(removeOwnerReference(again, recreated).metadata?.ownerReferences, []);
  });

  it('knows an owner again in another version of its group', () => {
    const owned = setControllerReference(newWidget('p'), owner);
    const later = setControllerReference(owned, { object, resource: { ...widgets, version: 'v2' } });
    assert.deepEqual(
      later.metadata?.ownerReferences?.map(({ apiVersion }) => apiVersion),
      ['example.com/v2'],
    );
  });

  it('refuses a second controller, but takes a second owner', () => {
    const owned = setControllerReference(newWidget('p'), owner);
    const second = { object: { metadata: { name: 'x', namespace: 'default', uid: 'u3' } }, resource: parts };
    assert.throws(
      () => setControllerReference(owned, second),
      (error) =>
        error instanceof AlreadyOwnedError &&
        error.message === 'Object default/p is already owned by another Widget controller w' &&
        error.owner.uid === 'u1',
    );
    assert.equal(setOwnerReference(owned, second).metadata?.ownerReferences?.length, 2);
  });

  it('B7 refuses owners that can not be: of another namespace, or namespaced for a cluster-scoped object', () => {
    assert.throws(
      () => setControllerReference(newWidget('p', { namespace: 'other' }), owner),
      /^Error: cross-namespace owner references are disallowed, owner's namespace default, obj's namespace other$/,
    );
    assert.throws(
      () => setOwnerReference({ metadata: { name: 'node' } }, owner),
      /^Error: cluster-scoped resource must not have a namespace-scoped owner, owner's namespace default$/,
    );
  });
});

describe('what is sent', () => {
  const finalizer = 'example.com/disk';
  const going = { ...newWidget('w').metadata, uid: 'u1', deletionTimestamp: 'now', finalizers: [finalizer] };
  const object: Widget = { ...newWidget('w'), metadata: going };

  /** A client over one object that notes the patches it is given. */
  function setUp(live: Widget) {
    const patches: unknown[] = [];
    const client = {
      get: () => Promise.resolve(live),
      patch: (_resource: unknown, { patch }: { readonly patch: unknown }) => {
        patches.push(patch);
        return Promise.resolve(live);
      },
    } as unknown as Client;
    return { client, patches };
  }

  it('takes no finalizer off while the clean-up asks for more time', async () => {
    const { client, patches } = setUp(object);
    let more: { readonly requeueAfterMs: number } | undefined = { requeueAfterMs: 5 };
    const run = () =>
      finalized(client, {
        resource: widgets,
        object,
        finalizer,
        reconcile: () => Promise.resolve(undefined),
        cleanUp: () => Promise.resolve(more),
      });
    assert.deepEqual([await run(), patches], [{ requeueAfterMs: 5 }, []]);
    more = undefined;
    await run();
    assert.equal(patches.length, 1);
  });

  it('O13 cleans nothing up for another object of the name that is being deleted too', async () => {
    const { client, patches } = setUp({ ...object, metadata: { ...going, uid: 'u2' } });
    const work = (): Promise<void> => Promise.reject(new Error('must not be called'));
    await finalized(client, { resource: widgets, object, finalizer, reconcile: work, cleanUp: work });
    assert.deepEqual(patches, []);
  });

  it('holds the uid: patches of the status without a lock, and of createOrPatch', async () => {
    const { client, patches } = setUp(object);
    await patchStatus(client, { resource: widgets, object, status: { ready: 1 }, optimisticLock: false });
    await createOrPatch(client, {
      resource: widgets,
      namespace: 'default',
      name: 'w',
      mutate: (widget) => ({ ...widget, spec: { size: 2 }, status: { ready: 2 } }),
    });
    assert.deepEqual(patches, [
      { metadata: { uid: 'u1' }, status: { ready: 1 } },
      { metadata: { uid: 'u1' }, spec: { size: 2 } },
      { metadata: { uid: 'u1' }, status: { ready: 2 } },
    ]);
  });
});
