import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '@homeostat/api/types/core-v1';
import { container, podOf, sidecar } from '../pod/fixture.ts';
import { type Behavior, BehaviorError, behaviorOf } from './behavior.ts';

function annotated(annotations: Readonly<Record<string, string>>): Pod {
  const pod = podOf();
  const prefixed = Object.entries(annotations).map(([key, value]) => [`simulated.homeostat.dev/${key}`, value]);
  return { ...pod, metadata: { ...pod.metadata, annotations: Object.fromEntries(prefixed) } };
}

describe('what annotations say', () => {
  const table: readonly (readonly [Readonly<Record<string, string>>, Partial<Behavior>])[] = [
    [{}, { runForMs: Infinity, startDelayMs: 0, stopDelayMs: 0, exitCodes: [0], imageError: undefined }],
    [{ 'start-delay': '1.5s' }, { startDelayMs: 1_500 }],
    [{ 'c.start-delay': '2s', 'start-delay': '1s', 'd.start-delay': '3s' }, { startDelayMs: 2_000 }],
    [
      { 'run-for': '30s', 'exit-code': '3' },
      { runForMs: 30_000, exitCodes: [3] },
    ],
    [{ 'crash-after': '1m' }, { runForMs: 60_000, exitCodes: [1] }],
    [{ 'exit-code': '1, 1,0' }, { exitCodes: [1, 1, 0] }],
    [{ 'stop-delay': 'never' }, { stopDelayMs: Infinity }],
    [{ 'log-lines': 'a\nb\n' }, { logLines: ['a', 'b'] }],
    [
      { 'start-error': 'CreateContainerError: no space' },
      { startError: { reason: 'CreateContainerError', message: 'no space' } },
    ],
    [
      { 'post-start': 'fail', 'pre-stop': '2s' },
      { postStart: { takesMs: 0, fails: true }, preStop: { takesMs: 2_000, fails: false } },
    ],
  ];
  for (const [annotations, expected] of table) {
    it(JSON.stringify(annotations), () => {
      const behavior = behaviorOf(annotated(annotations), container('c'), 'regular');
      for (const [key, value] of Object.entries(expected)) assert.deepEqual(behavior[key as keyof Behavior], value);
    });
  }
});

describe('probes', () => {
  const table: readonly (readonly [Readonly<Record<string, string>>, readonly number[] | undefined])[] = [
    [{}, undefined],
    [{ readiness: 'pass' }, [0, Infinity]],
    [{ readiness: 'fail' }, [Infinity, Infinity]],
    [{ readiness: 'pass-after=2s,fail-after=1m' }, [2_000, 60_000]],
    [{ ready: 'false' }, [Infinity, Infinity]],
    [{ ready: 'true' }, [0, Infinity]],
    [{ 'ready-delay': '5s' }, [5_000, Infinity]],
  ];
  for (const [annotations, expected] of table) {
    it(JSON.stringify(annotations), () => {
      const { readiness } = behaviorOf(annotated(annotations), container('c'), 'regular').probes;
      assert.deepEqual(readiness === undefined ? undefined : [readiness.passAfterMs, readiness.failAfterMs], expected);
    });
  }
});

it('containers that are there to do something end by themselves', () => {
  const pod = podOf();
  const owned = {
    ...pod,
    metadata: {
      ...pod.metadata,
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'j', controller: true }],
    },
  };
  assert.equal(behaviorOf(pod, container('i'), 'init').runForMs, 0);
  assert.equal(behaviorOf(pod, sidecar('s'), 'init').runForMs, Infinity);
  assert.equal(behaviorOf(owned, container('c'), 'regular').runForMs, 1_000);
  assert.equal(behaviorOf(pod, container('c'), 'regular').runForMs, Infinity);
});

it('what is not understood is refused, with the annotation named', () => {
  const wrong: readonly Readonly<Record<string, string>>[] = [
    { 'run-for': 'soon' },
    { 'exit-code': '256' },
    { liveness: 'maybe' },
  ];
  for (const annotations of wrong) {
    assert.throws(
      () => behaviorOf(annotated(annotations), container('c'), 'regular'),
      (error) => {
        assert.ok(error instanceof BehaviorError);
        assert.ok(error.message.startsWith(`annotation simulated.homeostat.dev/${Object.keys(annotations)[0]}: "`));
        return true;
      },
    );
  }
});
