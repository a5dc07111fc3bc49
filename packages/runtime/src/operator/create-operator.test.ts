import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { createClient } from '@homeostat/client';
import { customResource } from '../crd/custom-resource.ts';
import { DefinitionNotEstablishedError, installDefinitions } from '../crd/install-definitions.ts';
import { object } from '../crd/schema.ts';
import { createOperator } from './create-operator.ts';

const { definition } = customResource({
  group: 'a.example.com',
  kind: 'Thing',
  versions: { v1: { fields: { spec: object({}) } } },
});

test('an operator that is told to stop while it installs its definitions has just stopped', async () => {
  const env = createVirtualEnv();
  const close = (): Promise<void> => Promise.resolve();
  const stuck = {
    close,
    send: ({ signal }: { readonly signal: AbortSignal }) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  };
  const client = createClient({ transport: stuck, env, userAgent: 'test' });
  const operator = createOperator({ name: 'things', client, env, definitions: [definition], controllers: [] });
  const stop = new AbortController();
  const running = operator.run({ signal: stop.signal });
  await env.clock.advance(1_000);
  stop.abort(new Error('received SIGTERM'));
  await running;
  const failing = { close, send: () => Promise.reject(new Error('no server')) };
  const other = createClient({ transport: failing, env, userAgent: 'test' });
  const hopeless = createOperator({ name: 'things', client: other, env, definitions: [definition], controllers: [] });
  await assert.rejects(hopeless.run({ signal: new AbortController().signal }), /no server/);
});

test('a server that never answers is not waited for for ever', async () => {
  const env = createVirtualEnv();
  const send = ({ signal }: { readonly signal: AbortSignal }): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  const client = createClient({ transport: { send, close: () => Promise.resolve() }, env, userAgent: 'test' });
  const installing = installDefinitions([definition], { client, env, timeoutMs: 10_000 });
  await assert.rejects(env.clock.run(installing), (error) => error instanceof DefinitionNotEstablishedError);
  assert.equal(env.clock.monotonicMs(), 15_000);
});
