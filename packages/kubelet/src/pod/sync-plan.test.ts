// What is started, ended and waited for (spec/node.md §5.1, §5.3, §5.4, §6).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  container,
  factsOf,
  type FactsInput,
  instance,
  noBackOff,
  podOf,
  sandbox,
  sidecar,
  startMs,
} from './fixture.ts';
import type { SyncCommand } from './plan-builder.ts';
import { backOffKey, nextBackOff, nextImageBackOff } from './back-off.ts';
import { planSync } from './sync-plan.ts';

function brief(commands: readonly SyncCommand[]): readonly string[] {
  return commands.map((command) => {
    switch (command.type) {
      case 'start':
        return `start ${command.container.name}#${command.attempt}`;
      case 'kill':
        return `kill ${command.container.name}: ${command.message}`;
      case 'restart-all':
        return `restart-all by ${command.source}`;
      case 'create-sandbox':
        return `sandbox#${command.attempt}`;
      case 'kill-pod':
        return 'kill-pod';
    }
  });
}

const inits = podOf({ initContainers: [sidecar('s1'), container('i'), sidecar('s2')] });
const neverJob = podOf({ restartPolicy: 'Never', initContainers: [sidecar('s')] });

describe('commands', () => {
  const table: readonly (readonly [string, FactsInput, readonly string[]])[] = [
    ['a new Pod', { sandbox: 'none' }, ['sandbox#0', 'start c#0']],
    ['a new Pod with init containers', { pod: inits, sandbox: 'none' }, ['sandbox#0', 'start s1#0']],
    ['all is well', { containers: [instance('c', 'running')] }, []],
    ['the first crash restarts at once', { containers: [instance('c', 1)] }, ['start c#1']],
    ['a lost sandbox', { sandbox: { ...sandbox, ready: false } }, ['kill-pod', 'sandbox#1', 'start c#0']],
    [
      'another image',
      { containers: [instance('c', 'running', { specImage: 'busybox:1.35' })] },
      ['kill c: Container c definition changed, will be restarted', 'start c#1'],
    ],
    [
      'liveness failed',
      { containers: [instance('c', 'running')], probes: { 'c/liveness': 'failure' } },
      ['kill c: Container c failed liveness probe, will be restarted', 'start c#1'],
    ],
    [
      'startup failed under Never',
      {
        pod: podOf({ restartPolicy: 'Never' }),
        containers: [instance('c', 'running')],
        probes: { 'c/startup': 'failure' },
      },
      ['kill c: Container c failed startup probe'],
    ],
    ['done under Never', { pod: podOf({ restartPolicy: 'Never' }), containers: [instance('c', 0)] }, ['kill-pod']],
    [
      'sidecars end when the others are done',
      { pod: neverJob, containers: [instance('c', 0), instance('s', 'running')] },
      ['kill-pod'],
    ],
    [
      'the sidecar has started: the init container',
      { pod: inits, containers: [instance('s1', 'running')] },
      ['start i#0'],
    ],
    [
      'the sidecar has not: nothing',
      { pod: inits, containers: [instance('s1', 'running')], probes: { 's1/startup': 'unknown' } },
      [],
    ],
    ['init runs: nothing', { pod: inits, containers: [instance('i', 'running'), instance('s1', 'running')] }, []],
    [
      'init done: the next sidecar',
      { pod: inits, containers: [instance('i', 0), instance('s1', 'running')] },
      ['start s2#0'],
    ],
    [
      'all init done: the container',
      { pod: inits, containers: [instance('s2', 'running'), instance('i', 0), instance('s1', 'running')] },
      ['start c#0'],
    ],
    [
      'a sidecar that ended comes back while init goes on',
      { pod: inits, containers: [instance('i', 'running'), instance('s1', 1)] },
      ['start s1#1'],
    ],
    [
      'after init a sidecar comes back alone',
      {
        pod: inits,
        containers: [instance('c', 'running'), instance('s2', 1), instance('i', 0), instance('s1', 'running')],
      },
      ['start s2#1'],
    ],
    [
      'init failed for good',
      { pod: podOf({ restartPolicy: 'Never', initContainers: [container('i')] }), containers: [instance('i', 1)] },
      ['kill-pod'],
    ],
    [
      'init failed and is tried again',
      { pod: podOf({ initContainers: [container('i')] }), containers: [instance('i', 1)] },
      ['start i#1'],
    ],
    [
      'a rule of its own starts all containers anew',
      {
        pod: podOf({
          containers: [
            container('c', {
              restartPolicy: 'Never',
              restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
            }),
            container('d'),
          ],
        }),
        containers: [instance('d', 'running'), instance('c', 42)],
      },
      ['restart-all by c'],
    ],
    [
      'ephemeral containers start first, and once',
      {
        pod: podOf({ ephemeralContainers: [container('e')] }),
        containers: [instance('c', 'running')],
      },
      ['start e#0'],
    ],
    [
      'an ephemeral container that ended is not started again',
      {
        pod: podOf({ ephemeralContainers: [container('e')] }),
        containers: [instance('e', 1), instance('c', 'running')],
      },
      [],
    ],
    [
      'the attempt goes on from the status when the runtime has forgotten all',
      {
        sandbox: 'none',
        previous: {
          containerStatuses: [
            {
              name: 'c',
              ready: false,
              restartCount: 4,
              image: '',
              imageID: '',
              state: { terminated: { exitCode: 1, containerID: 'test://c-4' } },
            },
          ],
        },
      },
      ['sandbox#0', 'start c#5'],
    ],
  ];
  for (const [name, input, commands] of table) {
    it(name, () => assert.deepEqual(brief(planSync(factsOf(input), noBackOff).commands), commands));
  }
});

describe('back-off', () => {
  const crashed = instance('c', 1, { attempt: 1, startedMs: startMs, finishedMs: startMs + 1_000 });

  it('doubles from 10 s to 5 min', () => {
    const durations: number[] = [];
    let entry = nextBackOff(undefined, 0, 0);
    for (let count = 0; count < 7; count++) {
      durations.push(entry.durationMs / 1000);
      entry = nextBackOff(entry, entry.updatedMs + 1_000, entry.updatedMs + 1_000 + entry.durationMs);
    }
    assert.deepEqual(durations, [10, 20, 40, 80, 160, 300, 300]);
  });

  it('is forgotten after ten minutes of running', () => {
    const entry = { durationMs: 300_000, updatedMs: 0 };
    assert.equal(nextBackOff(entry, 600_001, 600_001).durationMs, 10_000);
    assert.equal(nextBackOff(entry, 600_000, 600_000).durationMs, 300_000);
  });

  it('holds a container back, with words and an event, until it is over', () => {
    const key = backOffKey(container('c'));
    const memory = { ...noBackOff, containers: new Map([[key, { durationMs: 20_000, updatedMs: startMs }]]) };
    const waiting = planSync(factsOf({ containers: [crashed], nowMs: startMs + 20_999 }), memory);
    assert.deepEqual(waiting.commands, []);
    assert.equal(waiting.retryMs, startMs + 21_000);
    assert.deepEqual(waiting.failures.get('c'), {
      reason: 'CrashLoopBackOff',
      message: 'back-off 20s restarting failed container=c pod=p_ns(u-1)',
    });
    assert.deepEqual(waiting.events, [
      {
        type: 'Warning',
        reason: 'BackOff',
        message: 'Back-off restarting failed container c in pod p_ns(u-1)',
        container: { name: 'c', kind: 'regular' },
      },
    ]);
    const over = planSync(factsOf({ containers: [crashed], nowMs: startMs + 21_000 }), memory);
    assert.deepEqual(brief(over.commands), ['start c#2']);
    assert.equal(over.memory.containers.get(key)?.durationMs, 40_000);
  });

  it('starts anew with another image', () => {
    const memory = {
      ...noBackOff,
      containers: new Map([[backOffKey(container('c')), { durationMs: 300_000, updatedMs: startMs }]]),
    };
    const pod = podOf({ containers: [container('c', { image: 'busybox:1.37' })] });
    assert.deepEqual(
      brief(planSync(factsOf({ pod, containers: [crashed], nowMs: startMs + 2_000 }), memory).commands),
      ['start c#2'],
    );
  });

  it('of an image: the pull waits, and says what went wrong', () => {
    const first = nextImageBackOff(undefined, 'ErrImagePull: no such thing', startMs);
    assert.equal(first.durationMs, 10_000);
    assert.equal(nextImageBackOff(first, 'x', startMs + 12_000).durationMs, 20_000);
    const memory = { ...noBackOff, images: new Map([['busybox:1.36', first]]) };
    const plan = planSync(factsOf({ nowMs: startMs + 9_999 }), memory);
    assert.deepEqual(plan.failures.get('c'), {
      reason: 'ImagePullBackOff',
      message: 'Back-off pulling image "busybox:1.36": ErrImagePull: no such thing',
    });
    assert.deepEqual(
      plan.events.map(({ type, message }) => [type, message]),
      [
        ['Normal', 'Back-off pulling image "busybox:1.36"'],
        ['Warning', 'Error: ImagePullBackOff'],
      ],
    );
    assert.deepEqual(brief(planSync(factsOf({ nowMs: startMs + 10_000 }), memory).commands), ['start c#0']);
  });
});
