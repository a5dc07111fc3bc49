// Random histories of a plain reconciler: whatever others write, whenever watches break and answers are late or lost, it ends with what is
// desired, whether its own writes wake it or not, and makes no child twice. Case ids: C1, O5, O12, B2.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { TransportError } from '@homeostat/client';
import { newExpired } from '@homeostat/machinery';
import { byController } from '../store/indexes.ts';
import { startController } from '../testing/controller-fixture.ts';
import { newWidget, parts, type Widget, widgets } from '../testing/fake-server.ts';
import type { ReconcileController } from './controller-definition.ts';
import { wakeController } from './wakes.ts';

/** Keeps one part per widget, of the widget's size, and tells the size in the widget's status. */
const mirror = (
  supersede: ReconcileController['supersede'],
  ownWrites: NonNullable<ReconcileController['ownWrites']>,
): ReconcileController => ({
  ownWrites,
  name: 'mirror',
  for: { resource: widgets },
  watches: [{ resource: parts, indexes: [byController], wakes: wakeController(widgets) }],
  ...(supersede === undefined ? {} : { supersede }),
  concurrency: 2,
  async reconcile({ key, caches, client }) {
    const widget = caches.lister(widgets).getByKey(key);
    if (widget === undefined) return;
    const { name = '', namespace = '', uid = '', resourceVersion } = widget.metadata ?? {};
    const size = widget.spec?.size ?? 0;
    const owned = caches.lister(parts).byIndex('controller', uid);
    const [part] = owned;
    if (part === undefined) {
      const made = newWidget('', { owner: widget, size }).metadata ?? {};
      const { name: _none, ...metadata } = { ...made, generateName: `${name}-` };
      const object: Widget = { spec: { size }, metadata };
      await client.create(parts, { namespace, object });
      assert.equal(caches.lister(parts).byIndex('controller', uid).length, 1, 'its own write is seen at once');
    } else if (part.spec?.size !== size) {
      const patch = { spec: { size } };
      await client.patch(parts, { namespace, name: part.metadata?.name ?? '', type: 'merge', patch });
    }
    if (widget.status?.ready === size) return;
    const patch = { metadata: { resourceVersion: resourceVersion ?? '' }, status: { ready: size } };
    await client.patch(widgets, { namespace, name, type: 'merge', patch });
  },
});

const name = fc.constantFrom('a', 'b');
const size = fc.integer({ min: 1, max: 3 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('resize' as const), name, size }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('spoil' as const), size }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lose part' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('recreate' as const), name, size }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('break watches' as const), relist: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), forMs: fc.constantFrom(0, 1, 10, 1_000) }) },
);
/** How late each answer is, and whether it is lost. */
const answers = fc.array(fc.record({ lateMs: fc.constantFrom(0, 0, 1, 20), lost: fc.boolean() }), { maxLength: 6 });
const supersede = fc.constantFrom(undefined, 'resourceVersion' as const);
const ownWrites = fc.constantFrom('ignore' as const, 'ignore' as const, 'wake' as const);

it('C1 O5 O12 B2 a plain reconciler ends with what is desired, and never with a child too many', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      answers,
      supersede,
      ownWrites,
      async (steps, late, mode, own) => {
        const { env, server, reconciles, stop } = await startController(mirror(mode, own));
        const left = [...late];
        const client = server.handle.bind(server);
        server.handle = async (request) => {
          const isWrite = request.method !== 'GET';
          const fate = isWrite ? left.shift() : undefined;
          const answer = await client(request);
          if (fate !== undefined && fate.lateMs > 0) await env.clock.sleep(fate.lateMs);
          if (fate?.lost === true) throw new TransportError('reset', 'the answer was lost');
          return answer;
        };
        const change = (resource: string, object: Widget, wanted: number): void => {
          const changed: Widget = { ...object, spec: { size: wanted } };
          server.put(resource, changed);
        };
        for (const next of steps) {
          switch (next.do) {
            case 'resize':
              change(
                'widgets',
                (server.get('widgets', 'default', next.name) as Widget | undefined) ?? newWidget(next.name),
                next.size,
              );
              break;
            case 'spoil':
              for (const part of server.list('parts').slice(0, 1)) change('parts', part as Widget, next.size);
              break;
            case 'lose part':
              for (const { metadata } of server.list('parts').slice(0, 1))
                server.remove('parts', 'default', metadata?.name ?? '');
              break;
            case 'recreate':
              server.remove('widgets', 'default', next.name);
              for (const part of server.list('parts'))
                if (part.metadata?.ownerReferences?.[0]?.name === next.name)
                  server.remove('parts', 'default', part.metadata.name ?? '');
              change('widgets', newWidget(next.name), next.size);
              break;
            case 'break watches':
              if (next.relist) server.compact();
              server.endWatches(next.relist ? newExpired('too old') : undefined);
              break;
            case 'wait':
              await env.clock.advance(next.forMs);
              break;
          }
        }
        await env.clock.advance(300_000);
        for (const widget of server.list('widgets') as Widget[]) {
          const owned = server
            .list('parts')
            .filter(({ metadata }) => metadata?.ownerReferences?.[0]?.uid === widget.metadata?.uid) as Widget[];
          const wanted = widget.spec?.size;
          assert.deepEqual([owned.map(({ spec }) => spec?.size), widget.status?.ready], [[wanted], wanted]);
        }
        const before = reconciles.length;
        await env.clock.advance(60_000);
        assert.equal(reconciles.length, before, 'it rests');
        await stop();
      },
    ),
    { numRuns: 200 },
  );
});
