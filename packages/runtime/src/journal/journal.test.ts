import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toKey } from '@homeostat/client';
import { controllerFor } from '../controller/controller-builder.ts';
import type { ControllerDefinition, PlanController } from '../controller/controller-definition.ts';
import { emptyPlan } from '../controller/plan.ts';
import { wakeSelf } from '../controller/wakes.ts';
import { createManagerHandle } from '../manager/manager-handle.ts';
import { newWidget, parts, type Widget, widgets } from '../testing/fake-server.ts';
import { startOperator } from '../testing/operator-fixture.ts';
import { createJournal, type Journal } from './journal.ts';
import { renderChain, renderWhy } from './render.ts';

const w = toKey('default', 'w');

/** Copies the size of each widget to a part of its name. */
const sizes: PlanController<{ widget: Widget; part: Widget | undefined }> = {
  name: 'sizes',
  for: { resource: widgets },
  watches: [{ resource: parts, wakes: wakeSelf }],
  observe(key, caches) {
    const widget = caches.lister(widgets).getByKey(key);
    return widget === undefined ? undefined : { widget, part: caches.lister(parts).getByKey(key) };
  },
  diff({ widget, part }) {
    const target = { resource: parts, namespace: 'default' } as const;
    const { name = '' } = widget.metadata ?? {};
    const size = widget.spec?.size ?? 0;
    if (part === undefined)
      return {
        steps: [
          {
            actions: [
              { ...target, verb: 'create', object: newWidget(name, { size }), reason: 'Missing', facts: { size } },
            ],
          },
        ],
      };
    if (part.spec?.size === size) return emptyPlan;
    const facts = { had: part.spec?.size ?? 0, wants: size };
    const patch = { spec: { size } };
    return {
      steps: [
        { actions: [{ ...target, verb: 'patch', patchType: 'merge', name, patch, reason: 'SizeDiffers', facts }] },
      ],
    };
  },
};

/** Reports the size of each part in its status. */
const reports: ControllerDefinition = controllerFor('reports', parts).reconcile(async ({ key, caches, client }) => {
  const part = caches.lister(parts).getByKey(key);
  const ready = part?.spec?.size ?? 0;
  if (part === undefined || part.status?.ready === ready) return;
  const { namespace, name = '' } = part.metadata ?? {};
  await client.patch(parts, { namespace, name, type: 'merge', patch: { status: { ready } }, subresource: 'status' });
});

describe('a journal', () => {
  it('says what wrote an object last, and what led there, back to an event from outside', async () => {
    const { env, server, operator, stop } = await startOperator({ controllers: [sizes, reports] });
    server.put('widgets', newWidget('w', { size: 3 }));
    await env.clock.settle();
    const why = operator.journal?.why(parts, w);
    assert.equal(why?.write.subresource, 'status');
    assert.equal(why.write.version, server.get('parts', 'default', 'w')?.metadata?.resourceVersion);
    const [last, first] = why.runs;
    assert.deepEqual([last?.controller, last?.origin, last?.key], ['reports', 'self', w]);
    assert.deepEqual([first?.controller, first?.origin, first?.writes.length], ['sizes', 'outside', 1]);
    const [write] = first?.writes ?? [];
    assert.deepEqual(
      [write?.verb, write?.reason, write?.facts, write?.changed],
      ['create', 'Missing', { size: 3 }, true],
    );
    assert.ok(write?.woke.includes(last?.id ?? 0));
    const text = renderWhy(why);
    assert.match(text, /^parts\.example\.com default\/w at version \d+\n {2}patched \(status\) by reports in run \d+/);
    assert.match(text, /created by sizes in run \d+ of default\/w, at [\d:.]+, took 0 ms \(Missing: size=3\)/);
    assert.match(text, /woken by widgets\.example\.com default\/w added, version 11, from outside\n$/);
    await stop();
  });

  it('keeps what belongs together with a run, both ways', async () => {
    const { env, server, operator, stop } = await startOperator({ controllers: [sizes, reports] });
    server.put('widgets', newWidget('w', { size: 3 }));
    server.put('widgets', newWidget('other', { size: 3 }));
    await env.clock.settle();
    const journal = operator.journal as Journal;
    const [report] = journal.runs({ controller: 'reports', key: w });
    const chain = journal.chain(report?.id ?? 0);
    assert.ok(chain !== undefined && chain.runs.every(({ key }) => key === w));
    assert.ok(new Set(chain.runs.map(({ controller }) => controller)).size === 2);
    assert.match(
      renderChain(chain),
      /created parts\.example\.com default\/w to version \d+ \(Missing: size=3\), which woke run/,
    );
    assert.equal(journal.chain(100_000), undefined);
    await stop();
  });

  it('tells an outside change of an object from a write of a run', async () => {
    const { env, server, operator, stop } = await startOperator({ controllers: [sizes, reports] });
    server.put('widgets', newWidget('w', { size: 3 }));
    await env.clock.settle();
    server.put('parts', newWidget('w', { size: 5 }));
    await env.clock.settle();
    const journal = operator.journal as Journal;
    const fixes = journal.runs({ controller: 'sizes', key: w }).filter(({ writes }) => writes.length > 0);
    assert.deepEqual(fixes[0]?.writes[0]?.facts, { had: 5, wants: 3 });
    assert.equal(fixes[0]?.origin, 'outside');
    await stop();
  });

  it('links a deletion to the run that made it', async () => {
    const janitor: ControllerDefinition = controllerFor('janitor', widgets).reconcile(
      async ({ key, caches, client }) => {
        const widget = caches.lister(widgets).getByKey(key);
        if (widget?.spec?.size === 0) await client.delete(widgets, { namespace: 'default', name: 'w' });
      },
    );
    const { env, server, operator, stop } = await startOperator({
      controllers: [janitor, { ...sizes, name: 'sizes' }],
    });
    server.put('widgets', newWidget('w', { size: 0 }));
    await env.clock.settle();
    const [latest] = operator.journal?.runs({ controller: 'sizes', key: w }) ?? [];
    assert.equal(latest?.origin, 'self');
    assert.deepEqual(
      latest.reasons.map((reason) => reason.type === 'change' && [reason.change, reason.causedBy?.write]),
      [
        ['deleted', 0],
        ['added', 0],
      ],
    );
    await stop();
  });

  it('keeps failed writes with their errors', async () => {
    const { env, server, operator, stop } = await startOperator({ controllers: [sizes] });
    server.fault = ({ method }) => {
      if (method === 'POST') throw new Error('no');
    };
    server.put('widgets', newWidget('w'));
    await env.clock.settle();
    const run = operator.journal?.runs({ controller: 'sizes', key: w }).find(({ writes }) => writes.length > 0);
    assert.ok(run?.writes[0]?.error !== undefined);
    assert.equal(run.outcome, 'error');
    server.fault = () => {};
    await env.clock.advance(10_000);
    const [retry] = operator.journal?.runs({ controller: 'sizes', key: w }) ?? [];
    assert.notEqual(retry?.origin, 'outside');
    const why = renderWhy(operator.journal?.why(parts, w) ?? assert.fail());
    assert.match(
      why,
      /woken by a retry after \d failures\n {4}after run \d+ of sizes default\/w, at \S+, error, took 0 ms: /,
    );
    assert.match(why, /woken by widgets\.example\.com default\/w added, version 11, from outside\n$/);
    await stop();
  });

  it('is a page of the manager', async () => {
    const { env, server, operator, stop } = await startOperator({ controllers: [sizes] });
    server.put('widgets', newWidget('w'));
    await env.clock.settle();
    const handle = createManagerHandle({ env, source: operator.manager });
    const { signal } = new AbortController();
    const { status, body } = await handle({ method: 'GET', path: '/debug/journal', query: '', headers: {}, signal });
    assert.equal(status, 200);
    const text = body.kind === 'bytes' ? Buffer.concat(await Array.fromAsync(body.chunks)).toString() : '';
    const page = JSON.parse(text) as { readonly runs: readonly { readonly controller: string }[] };
    assert.equal(page.runs[0]?.controller, 'sizes');
    await stop();
  });

  it('pushes the oldest runs out, with their writes', async () => {
    const { env, server, operator, stop } = await startOperator({ controllers: [sizes], journal: { runsMax: 21 } });
    for (let i = 0; i < 20; i++) server.put('widgets', newWidget(`w${i}`));
    await env.clock.settle();
    const journal = operator.journal as Journal;
    assert.equal(journal.runs({ limit: 100 }).length, 21);
    assert.equal(journal.why(parts, toKey('default', 'w0')), undefined);
    assert.equal(journal.runs({ controller: 'sizes', key: toKey('default', 'w0') }).length, 0);
    assert.ok(journal.why(parts, toKey('default', 'w19')) !== undefined);
    await stop();
  });

  it('costs little', async () => {
    const { operator, env, stop } = await startOperator({ controllers: [] });
    const journal = createJournal({ env });
    const observer = journal.observe(sizes);
    const runs = 20_000;
    const startedNs = process.hrtime.bigint();
    for (let i = 0; i < runs; i++) {
      const key = toKey('default', `w${i % 500}`);
      const reason = {
        type: 'change',
        resource: 'widgets',
        group: 'example.com',
        change: 'updated',
        object: key,
        version: String(i),
        uid: 'u',
      } as const;
      observer?.woken?.(key, reason);
      observer?.restMs?.(key);
      const reasons = { reasons: [reason], dropped: 0 };
      const run = observer?.started({ key, uid: 'u', reasons, attempt: 1, startedMs: 0, live: false });
      const settle = run?.sending?.({ resource: 'parts.example.com', object: key, verb: 'patch' }, undefined);
      settle?.({ object: { metadata: { name: 'x', uid: 'u', resourceVersion: String(runs + i) } } }, undefined);
      run?.ended({
        controller: 'sizes',
        key,
        reasons,
        attempt: 1,
        outcome: 'success',
        startedMs: 0,
        endedMs: 1,
        writes: 1,
        live: false,
      });
    }
    const microseconds = Number(process.hrtime.bigint() - startedNs) / 1000 / runs;
    // About 1 µs when nothing else runs; the bound only catches what grows with the number of runs.
    assert.ok(microseconds < 50, `${microseconds} µs a run`);
    if (process.env['JOURNAL_COST'] !== undefined) console.log(`${microseconds} µs a run`);
    assert.ok(operator.journal !== undefined);
    await stop();
  });
});
