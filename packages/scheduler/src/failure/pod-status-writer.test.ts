import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, createVirtualEnv, Scope } from '@homeostat/base';
import type { Pod } from '@homeostat/api/types/core-v1';
import type { Client } from '@homeostat/client';
import { newPod, newPodInfo } from '../test-objects.ts';
import { PodStatusWriter } from './pod-status-writer.ts';

const message = (text: string) =>
  ({ condition: { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: text } }) as const;

function setUp(answer: (attempt: number) => Error | undefined = () => undefined) {
  const env = createVirtualEnv();
  const scope = new Scope();
  const sent: string[] = [];
  let attempts = 0;
  const client = {
    patch: async (_resource: unknown, options: { readonly patch: { readonly status: Pod['status'] } }) => {
      await env.clock.sleep(5);
      const error = answer(++attempts);
      if (error !== undefined) throw error;
      sent.push(options.patch.status?.conditions?.[0]?.message ?? options.patch.status?.nominatedNodeName ?? '');
      return newPod('p', { resourceVersion: String(attempts + 1), status: options.patch.status ?? {} });
    },
  } as unknown as Client;
  const writer = new PodStatusWriter({
    env,
    client,
    livePod: ({ pod }) => pod,
    spawn: (name, task) => scope.spawn(name, task),
  });
  return { env, writer, sent };
}

describe('PodStatusWriter', () => {
  it('writes one change at a time, and what comes meanwhile as one', async () => {
    const { env, writer, sent } = setUp();
    const info = newPodInfo('p', { resourceVersion: '1' });
    const first = writer.write(info, message('a'));
    await env.clock.settle();
    await env.clock.run(Promise.all([first, writer.write(info, message('b')), writer.write(info, message('c'))]));
    assert.deepEqual(sent, ['a', 'c']);
  });

  it('does not repeat what it has just written', async () => {
    const { env, writer, sent } = setUp();
    const info = newPodInfo('p', { resourceVersion: '1' });
    await env.clock.run(Promise.all([writer.write(info, message('a')), writer.write(info, message('a'))]));
    assert.deepEqual(sent, ['a']);
  });

  it('tries again what may pass, four times, and gives up on the rest', async () => {
    const flaky = setUp((attempt) =>
      attempt < 3 ? new ApiError({ code: 500, reason: 'InternalError', message: 'no' }) : undefined,
    );
    await flaky.env.clock.run(flaky.writer.write(newPodInfo('p'), message('a')));
    assert.deepEqual(flaky.sent, ['a']);
    const refused = setUp(() => new ApiError({ code: 403, reason: 'Forbidden', message: 'no' }));
    await refused.env.clock.run(refused.writer.write(newPodInfo('p'), message('a')));
    assert.deepEqual(refused.sent, []);
  });
});
