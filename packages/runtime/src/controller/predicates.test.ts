// Ready-made predicates, alone and in a controller. Case ids: R1.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type KubeObject, type ObjectMeta, parseLabelSelector } from '@homeostat/machinery';
import { startController } from '../testing/controller-fixture.ts';
import { newWidget, widgets } from '../testing/fake-server.ts';
import {
  and,
  annotationsChanged,
  generationChanged,
  labelsChanged,
  labelsMatch,
  not,
  or,
  resourceVersionChanged,
} from './predicates.ts';

const meta = (metadata: ObjectMeta): KubeObject => ({ metadata });

describe('predicates', () => {
  it('look at the part of the metadata they are named after', () => {
    const base: ObjectMeta = { generation: 1, resourceVersion: '1', labels: { a: '1' }, annotations: { b: '1' } };
    const steps: readonly (readonly [ObjectMeta, readonly boolean[]])[] = [
      [{ ...base }, [false, false, false, false]],
      [{ ...base, generation: 2, resourceVersion: '2' }, [true, true, false, false]],
      [{ ...base, resourceVersion: '2', labels: { a: '2' } }, [false, true, true, false]],
      [{ ...base, resourceVersion: '2', annotations: {} }, [false, true, false, true]],
      [{ ...base, resourceVersion: '2', deletionTimestamp: 'now' }, [true, true, false, false]],
    ];
    for (const [after, expected] of steps) {
      const predicates = [generationChanged, resourceVersionChanged, labelsChanged, annotationsChanged];
      assert.deepEqual(
        predicates.map((predicate) => predicate(meta(base), meta(after))),
        expected,
      );
    }
    assert.equal(labelsChanged(meta({}), meta({ labels: {} })), false);
  });

  it('join: and, or, not; labelsMatch hears of who stops matching', () => {
    const [yes, no] = [() => true, () => false];
    const [old, object] = [meta({ labels: { app: 'x' } }), meta({ labels: { app: 'y' } })];
    assert.deepEqual(
      [and(yes, no)(old, object), or(yes, no)(old, object), not(yes)(old, object)],
      [false, true, false],
    );
    const selected = labelsMatch(parseLabelSelector('app=x'));
    assert.deepEqual([selected(old, object), selected(object, old), selected(object, object)], [true, true, false]);
  });

  it('R1 never keep an addition or a deletion back', async () => {
    const { env, server, reconciles, stop } = await startController({
      name: 'filtered',
      for: { resource: widgets, predicate: and(generationChanged, not(generationChanged)) },
      reconcile: async () => {},
    });
    server.put('widgets', newWidget('a'));
    await env.clock.settle();
    server.put('widgets', newWidget('a', { size: 2 }));
    await env.clock.settle();
    server.remove('widgets', 'default', 'a');
    await env.clock.settle();
    assert.deepEqual(reconciles, ['default/a', 'default/a']);
    await stop();
  });
});
