import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toKey } from '@homeostat/client';
import { controllerFor } from '../controller/controller-builder.ts';
import type { ControllerDefinition, PlanController } from '../controller/controller-definition.ts';
import { emptyPlan } from '../controller/plan.ts';
import { newWidget, parts, type Widget, widgets } from '../testing/fake-server.ts';
import { type OperatorFixture, startOperator } from '../testing/operator-fixture.ts';
import type { Finding } from './finding.ts';
import type { LoopOptions } from './loop-breaker.ts';

const w = toKey('default', 'w');

/** Writes its widget whenever `next` gives a size. */
function writer(name: string, next: (widget: Widget) => number | undefined, more: object = {}): PlanController<Widget> {
  return {
    name,
    for: { resource: widgets },
    observe: (key, caches) => caches.lister(widgets).getByKey(key),
    diff(widget) {
      const size = next(widget);
      if (size === undefined) return emptyPlan;
      const { namespace, name: of = '' } = widget.metadata ?? {};
      const target = { resource: widgets, namespace: namespace ?? '', name: of } as const;
      return {
        steps: [
          {
            actions: [
              {
                ...target,
                verb: 'patch',
                patchType: 'merge',
                patch: { spec: { size } },
                reason: 'Restless',
                facts: {},
              },
            ],
          },
        ],
      };
    },
    ...more,
  };
}

const counts = writer('counts', ({ spec }) => (spec?.size ?? 0) + 1);
const toggles = writer('toggles', ({ spec }) => (spec?.size === 1 ? 2 : 1));
const wants = (name: string, size: number): ControllerDefinition =>
  writer(name, ({ spec }) => (spec?.size === size ? undefined : size)) as ControllerDefinition;

async function start(
  controllers: readonly ControllerDefinition[],
  loops: LoopOptions = {},
): Promise<OperatorFixture & { readonly findings: Finding[] }> {
  const findings: Finding[] = [];
  const journal = { loops: { ...loops, onFinding: (finding: Finding) => findings.push(finding) } };
  const fixture = await startOperator({ controllers, journal });
  fixture.server.put('widgets', newWidget('w', { size: 0 }));
  // Undamped loops never settle.
  await fixture.env.clock.advance(10);
  return { ...fixture, findings };
}

const sizeOf = ({ server }: OperatorFixture): number =>
  (server.get('widgets', 'default', 'w') as Widget).spec?.size ?? 0;

describe('a loop breaker', () => {
  it('finds a key that wakes itself, reports it once, and makes it rest longer and longer', async () => {
    const fixture = await start([counts as ControllerDefinition]);
    const { env, findings, warnings, operator, stop } = fixture;
    assert.equal(findings.length, 1);
    const [finding] = findings;
    assert.equal(finding?.kind, 'self-triggering');
    assert.equal(finding.damped, true);
    assert.match(
      finding.message,
      /^counts default\/w: its runs are woken by nothing but writes, 1\d runs in \S+ s without an event from outside: /,
    );
    assert.match(
      finding.message,
      /counts default\/w patched widgets\.example\.com default\/w \(Restless\), which woke counts default\/w/,
    );
    const before = sizeOf(fixture);
    assert.ok(before < 20);
    // 1, 2, 4, 8, 16 s …
    await env.clock.advance(31_500);
    assert.equal(sizeOf(fixture), before + 5);
    await env.clock.advance(3_600_000);
    assert.ok(sizeOf(fixture) < before + 25);
    assert.deepEqual(
      operator.journal?.resting().map(({ key, delayMs }) => [key, delayMs]),
      [[w, 300_000]],
    );
    assert.equal(findings.length, 1);
    assert.equal(warnings.length, 1);
    await stop();
  });

  it('lets a resting key run at once when something from outside touches it', async () => {
    const fixture = await start([counts as ControllerDefinition]);
    const { env, server, findings, stop } = fixture;
    await env.clock.advance(600_000);
    server.put('widgets', newWidget('w', { size: 100 }));
    await env.clock.advance(1);
    assert.ok(sizeOf(fixture) > 100);
    // It goes on as before, so it is found again.
    assert.equal(findings.length, 2);
    await stop();
  });

  it('finds a state that comes back earlier than a loop that goes on', async () => {
    const { findings, stop } = await start([toggles as ControllerDefinition]);
    assert.equal(findings[0]?.kind, 'oscillation');
    assert.ok(findings[0].count < 10);
    await stop();
  });

  it('finds two controllers that fight over a field, once, and names both', async () => {
    const fixture = await start([wants('one', 1), wants('two', 2)]);
    const { env, findings, operator, stop } = fixture;
    assert.equal(findings.length, 1);
    assert.equal(findings[0]?.kind, 'oscillation');
    assert.deepEqual(findings[0].controllers.toSorted(), ['one', 'two']);
    const runs = operator.journal?.runs({ limit: 1 })[0]?.id ?? 0;
    await env.clock.advance(60_000);
    assert.ok((operator.journal?.runs({ limit: 1 })[0]?.id ?? 0) < runs + 60);
    assert.equal(findings.length, 1);
    await stop();
  });

  it('lets a key go whose loop has ended', async () => {
    const fixture = await start([
      writer('counts', ({ spec }) =>
        (spec?.size ?? 0) < 14 ? (spec?.size ?? 0) + 1 : undefined,
      ) as ControllerDefinition,
    ]);
    const { env, operator, stop } = fixture;
    assert.equal(operator.journal?.resting().length, 1);
    await env.clock.advance(60_000);
    assert.equal(sizeOf(fixture), 14);
    assert.deepEqual(operator.journal.resting(), []);
    await stop();
  });

  it('leaves other keys of the controller alone', async () => {
    const fixture = await start([
      writer('odd', ({ metadata, spec }) =>
        metadata?.name === 'w' ? (spec?.size ?? 0) + 1 : spec?.size === 7 ? undefined : 7,
      ) as ControllerDefinition,
    ]);
    const { env, server, stop } = fixture;
    server.put('widgets', newWidget('calm', { size: 1 }));
    await env.clock.advance(1);
    assert.equal((server.get('widgets', 'default', 'calm') as Widget).spec?.size, 7);
    await stop();
  });

  it('takes a long way to an end for what it is', async () => {
    const { findings, stop, ...fixture } = await start([
      writer('steps', ({ spec }) =>
        (spec?.size ?? 0) < 9 ? (spec?.size ?? 0) + 1 : undefined,
      ) as ControllerDefinition,
    ]);
    assert.equal(sizeOf({ ...fixture, stop }), 9);
    assert.deepEqual(findings, []);
    await stop();
  });

  it('tells many answers to one run from a loop: a parent that counts what its children report', async () => {
    const size = 30;
    const reports: ControllerDefinition = controllerFor('reports', parts).reconcile(
      async ({ key, caches, client, env }) => {
        const part = caches.lister(parts).getByKey(key);
        if (part === undefined || part.status?.ready === 1) return;
        const { namespace, name = '' } = part.metadata ?? {};
        await env.clock.sleep(5);
        await client.patch(parts, {
          namespace,
          name,
          type: 'merge',
          patch: { status: { ready: 1 } },
          subresource: 'status',
        });
      },
    );
    for (const ownWrites of ['wake', 'ignore'] as const) {
      let counted = 0;
      const parent = controllerFor('parent', widgets)
        .watches(parts, () => [w])
        .with({ ownWrites })
        .reconcile(async ({ caches, client }) => {
          const widget = caches.lister(widgets).getByKey(w);
          const all = caches.lister(parts).list();
          if (widget === undefined) return;
          const missing = Array.from({ length: size }, (_, i) => `p${i}`).slice(all.length);
          for (const name of missing) await client.create(parts, { object: newWidget(name) });
          const ready = all.filter(({ status }) => status?.ready === 1).length;
          if (widget.status?.ready === ready) return;
          counted++;
          await client.patch(widgets, { namespace: 'default', name: 'w', type: 'merge', patch: { status: { ready } } });
        });
      const { env, server, findings, stop } = await start([parent, reports]);
      await env.clock.advance(1_000);
      assert.equal((server.get('widgets', 'default', 'w') as Widget).status?.ready, size);
      assert.ok(counted > 10, `only ${counted} writes`);
      assert.deepEqual(findings, []);
      await stop();
    }
  });

  it('does not count what events from outside cause', async () => {
    const { env, server, findings, stop } = await start([wants('one', 1)]);
    for (let i = 0; i < 50; i++) {
      server.put('widgets', newWidget('w', { size: 5 }));
      await env.clock.advance(10);
    }
    assert.deepEqual(findings, []);
    await stop();
  });

  it('takes retries with back-off for what they are', async () => {
    const fixture = await startOperator({ controllers: [wants('one', 1)] });
    const { env, server, operator, stop } = fixture;
    server.fault = ({ method }) => {
      if (method === 'PATCH') throw new Error('no');
    };
    server.put('widgets', newWidget('w', { size: 0 }));
    await env.clock.advance(600_000);
    assert.deepEqual(operator.journal?.findings, []);
    server.fault = () => {};
    await env.clock.advance(1_000_000);
    assert.equal(sizeOf(fixture), 1);
    await stop();
  });

  it('only reports, or says nothing, where a controller asks for that', async () => {
    // Ends by itself, long after it is found.
    const until = ({ spec }: Widget): number | undefined =>
      (spec?.size ?? 0) < 60 ? (spec?.size ?? 0) + 1 : undefined;
    for (const loops of ['report', 'ignore'] as const) {
      const fixture = await start([writer('counts', until, { loops }) as ControllerDefinition]);
      assert.equal(sizeOf(fixture), 60);
      assert.deepEqual(
        fixture.findings.map(({ damped }) => damped),
        loops === 'report' ? [false] : [],
      );
      await fixture.stop();
    }
  });
});
