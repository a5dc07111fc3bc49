// The executor: modes of steps, stages, tolerated errors.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, createVirtualEnv } from '@homeostat/base';
import { FakeServer, newWidget, widgets } from '../testing/fake-server.ts';
import { act, type ActionRecord } from './act.ts';
import type { Action, Plan, Step } from './plan.ts';

const refusal = new ApiError({
  code: 403,
  reason: 'Forbidden',
  message: 'no',
  details: { causes: [{ reason: 'NamespaceTerminating' }] },
});

const create = (name: string, more: Partial<Action> = {}): Action =>
  ({
    verb: 'create',
    resource: widgets,
    namespace: 'default',
    object: newWidget(name),
    reason: 'Missing',
    facts: {},
    ...more,
  }) as Action;

async function run(
  plan: Plan,
  refused: (name: string) => boolean = () => false,
  options: { readonly parallelMax?: number } = {},
) {
  const env = createVirtualEnv();
  const server = new FakeServer(env);
  let atOnce = 0;
  const batches: number[] = [];
  server.fault = async ({ object }) => {
    atOnce++;
    batches.push(atOnce);
    await env.clock.sleep(10);
    atOnce--;
    if (refused(object?.metadata?.name ?? '')) throw refusal;
  };
  const records: ActionRecord[] = [];
  const result = await env.clock.run(
    act(plan, {
      client: server.client(),
      env,
      signal: new AbortController().signal,
      onAction: (record) => records.push(record),
      ...options,
    }),
  );
  return {
    result,
    server,
    env,
    records,
    atOnceMax: Math.max(0, ...batches),
    statuses: result.outcomes.map(({ status }) => status).join(' '),
  };
}

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `w${i}`);
const step = (mode: NonNullable<Step['mode']>, count: number, more: Partial<Step> = {}): Step => ({
  mode,
  actions: names(count).map((name) => create(name)),
  ...more,
});

describe('act()', () => {
  it('starts slowly: 1, 2, 4 … at once, and stops at the first batch that fails', async () => {
    const all = await run({ steps: [step('slow-start', 10)] });
    assert.equal(all.server.list('widgets').length, 10);
    assert.equal(all.env.clock.monotonicMs(), 40, 'four batches');
    assert.equal(all.atOnceMax, 4);
    const failing = await run({ steps: [step('slow-start', 10)] }, (name) => name === 'w1');
    assert.equal(failing.statuses, 'done failed done skipped skipped skipped skipped skipped skipped skipped');
    assert.equal(failing.server.list('widgets').length, 2);
  });

  it('runs a sequence one by one and skips the rest after a failure; a later step too', async () => {
    const { statuses, atOnceMax } = await run(
      { steps: [step('sequence', 3), step('parallel', 1)] },
      (name) => name === 'w1',
    );
    assert.equal(statuses, 'done failed skipped skipped');
    assert.equal(atOnceMax, 1);
  });

  it('runs a parallel step in full, within its bound, and goes on after a failure when told to', async () => {
    const { statuses, atOnceMax, result } = await run(
      { steps: [step('parallel', 20, { onFailure: 'continue' }), { actions: [create('after')] }] },
      (name) => name === 'w0',
      { parallelMax: 5 },
    );
    assert.equal(statuses, `failed ${'done '.repeat(20)}`.trim());
    assert.equal(atOnceMax, 5);
    assert.equal(result.failures.length, 1);
  });

  it('counts tolerated reasons as done, also when they stand in the causes', async () => {
    const tolerant = (reason: string): Action => create('w', { tolerates: [reason] });
    for (const reason of ['Forbidden', 'NamespaceTerminating']) {
      const { result, statuses } = await run(
        { steps: [{ actions: [tolerant(reason), create('x')] }] },
        (name) => name === 'w',
      );
      assert.equal(statuses, 'done done');
      assert.equal(result.outcomes[0]?.status === 'done' && result.outcomes[0].error?.reason, 'Forbidden');
    }
  });

  it('decides the next stage on the outcomes of the last, and takes the shortest requeue', async () => {
    const { result, server, records } = await run(
      {
        steps: [step('parallel', 2)],
        requeueAfterMs: 500,
        next: (outcomes) => ({
          steps: [
            {
              actions: outcomes.map((outcome) =>
                create(`after-${outcome.status}-${outcome.status === 'done' ? outcome.object?.metadata?.name : ''}`),
              ),
            },
          ],
          requeueAfterMs: 100,
        }),
      },
      (name) => name === 'w1',
    );
    assert.deepEqual(
      server.list('widgets').map(({ metadata }) => metadata?.name),
      ['w0', 'after-done-w0', 'after-failed-'],
    );
    assert.equal(result.requeueAfterMs, 100);
    assert.deepEqual(
      records.map(({ stage, startedMs, endedMs }) => [stage, endedMs - startedMs]),
      [
        [0, 10],
        [0, 10],
        [1, 10],
        [1, 10],
      ],
    );
  });

  it('refuses a plan that never ends', async () => {
    const endless: Plan = { steps: [], next: () => endless };
    await assert.rejects(run(endless), /more than 100 stages/);
  });

  it('gives what live reads found', async () => {
    const { result } = await run({
      steps: [
        { actions: [create('a'), create('b')] },
        {
          actions: [
            { verb: 'get', resource: widgets, namespace: 'default', name: 'b', reason: 'Look', facts: {} },
            {
              verb: 'get',
              resource: widgets,
              namespace: 'default',
              name: 'c',
              reason: 'Look',
              facts: {},
              tolerates: ['NotFound'],
            },
            { verb: 'list', resource: widgets, reason: 'Look', facts: {} },
          ],
        },
      ],
    });
    const [, , got, missing, list] = result.outcomes;
    assert.equal(got?.status === 'done' && got.object?.metadata?.name, 'b');
    assert.equal(missing?.status === 'done' && missing.error?.reason, 'NotFound');
    assert.equal(list?.status === 'done' && (list.object as { items?: unknown[] }).items?.length, 2);
  });
});
