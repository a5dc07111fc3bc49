import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Diagnosis, FitError } from './fit-error.ts';
import { Status } from './status.ts';

describe('FitError', () => {
  it('sorts reasons as texts, counts included', () => {
    const diagnosis = new Diagnosis();
    for (let index = 0; index < 10; index++) diagnosis.nodeToStatus.set(`x${index}`, Status.unresolvable('X', 'x'));
    diagnosis.nodeToStatus.set('y1', Status.unschedulable('Y', 'y', 'z'));
    diagnosis.nodeToStatus.set('y2', Status.unschedulable('Y', 'y'));
    assert.equal(new FitError(12, diagnosis).message, '0/12 nodes are available: 1 z, 10 x, 2 y.');
  });

  it('counts nodes that were not looked at under their own reason', () => {
    const diagnosis = new Diagnosis();
    diagnosis.nodeToStatus.absent = Status.unresolvable('', "node(s) didn't satisfy plugin(s) [NodeAffinity]");
    diagnosis.postFilterMessage = 'no new claims to deallocate, preemption: …';
    assert.equal(
      new FitError(3, diagnosis).message,
      "0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new claims to deallocate, preemption: …",
    );
  });

  it('says what PreFilter said in the place of reasons, and what PostFilter says later', () => {
    const diagnosis = new Diagnosis();
    const error = new FitError(1, diagnosis);
    diagnosis.preFilterMessage = 'persistentvolumeclaim "missing" not found';
    diagnosis.postFilterMessage = 'not found';
    assert.equal(error.message, '0/1 nodes are available: persistentvolumeclaim "missing" not found. not found');
  });

  it('says nothing more when there is nothing to say', () => {
    assert.equal(new FitError(2, new Diagnosis()).message, '0/2 nodes are available:');
  });
});
