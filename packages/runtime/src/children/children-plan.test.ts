// What the plans of declarative children rest on: preconditions that keep other objects of a name safe, claims that look again, and who is woken.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseLabelSelector } from '@homeostat/machinery';
import type { Caches, Lister } from '../store/lister.ts';
import type { Plan } from '../controller/plan.ts';
import { setControllerReference } from '../objects/owner-references.ts';
import { newWidget, parts, type Widget, widgets } from '../testing/fake-server.ts';
import { claim } from './claim.ts';
import type { ChildrenDefinition } from './children-definition.ts';
import { defineChildren } from './children-controller.ts';
import { desired } from './desired-child.ts';

const stored = (name: string, metadata: object = {}): Widget => {
  const widget = newWidget(name);
  return { ...widget, metadata: { ...widget.metadata, uid: `uid-${name}`, resourceVersion: '7', ...metadata } };
};
const parent = stored('parent');
const owned = (name: string): Widget => setControllerReference(stored(name), { object: parent, resource: widgets });
const labels = { app: 'x' };

const definition = (more: Partial<ChildrenDefinition<Widget>> = {}): ChildrenDefinition<Widget> => ({
  name: 'family',
  for: { resource: widgets },
  kinds: [{ resource: parts }],
  children: () => [],
  ...more,
});

const cachesOf = (parents: readonly Widget[]): Caches => ({
  lister: () => ({ getByKey: () => undefined, list: () => parents }) as unknown as Lister<never>,
});

const planFor = (candidates: readonly Widget[], more: Partial<ChildrenDefinition<Widget>> = {}): Plan =>
  defineChildren(definition(more)).diff(
    { key: 'default/parent', parent, candidates: [candidates], caches: cachesOf([]) },
    0,
  );

const actionsOf = ({ steps }: Plan) => steps.flatMap(({ actions }) => actions);

describe('plans of children', () => {
  it('delete the very child that was seen, and mind nothing when somebody else was faster', () => {
    const [deletion] = actionsOf(planFor([owned('a')]));
    assert.ok(deletion?.verb === 'delete');
    assert.deepEqual(deletion.preconditions, { uid: 'uid-a', resourceVersion: '7' });
    assert.deepEqual(deletion.tolerates, ['NotFound']);
  });

  it('change the child of the uid that was seen', () => {
    for (const method of ['apply', 'merge'] as const) {
      const [change] = actionsOf(
        planFor([owned('a')], {
          kinds: [{ resource: parts, method }],
          children: () => [desired(parts, { metadata: { name: 'a' }, spec: { size: 3 } })],
        }),
      );
      assert.ok(change?.verb === 'patch');
      assert.equal((change.patch as Widget).metadata?.uid, 'uid-a');
    }
  });

  it('adopt against the version that was seen, after a live look at the parent, and only for that parent', () => {
    const selector = () => parseLabelSelector('app=x');
    const plan = planFor([stored('orphan', { labels })], { selector });
    const [look] = actionsOf(plan);
    assert.ok(look?.verb === 'get' && plan.next !== undefined);
    const [adoption] = actionsOf(plan.next([{ status: 'done', action: look, object: parent }], 0));
    assert.ok(adoption?.verb === 'patch');
    const { uid, resourceVersion, ownerReferences } = (adoption.patch as Widget).metadata ?? {};
    assert.deepEqual([uid, resourceVersion, ownerReferences?.length], ['uid-orphan', '7', 1]);
    for (const other of [stored('parent', { uid: 'another' }), stored('parent', { deletionTimestamp: 'now' })]) {
      const next = plan.next([{ status: 'done', action: look, object: other }], 0);
      assert.deepEqual([actionsOf(next), next.failure?.reason], [[], 'OwnerGone']);
    }
  });

  it('wake the parents that select an orphan that comes', () => {
    const selector = () => parseLabelSelector('app=x');
    const [watch] = defineChildren(definition({ selector })).watches ?? [];
    const wakes = (object: Widget): unknown => [
      ...(watch?.wakes?.({ type: 'added', object, initial: false }, cachesOf([parent])) ?? []),
    ];
    assert.deepEqual(wakes(stored('orphan', { labels })), ['default/parent']);
    assert.deepEqual(wakes(stored('stranger')), []);
  });
});

it('claim() takes nothing that is being deleted, and nothing for an owner that is', () => {
  const all = (): boolean => true;
  const going = { deletionTimestamp: 'now' };
  const found = claim(parent, [stored('a'), stored('b', going)], all);
  assert.deepEqual(
    found.adopt.map(({ metadata }) => metadata?.name),
    ['a'],
  );
  const leaving = claim(stored('parent', going), [stored('a'), owned('c')], () => false);
  assert.deepEqual([leaving.adopt, leaving.release], [[], []]);
});
