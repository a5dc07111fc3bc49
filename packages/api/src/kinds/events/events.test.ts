import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event } from '@homeostat/api/types/core-v1';
import type { FieldError } from '@homeostat/machinery';
import { coreEventStrategy, eventStrategy } from './event.ts';

const core = { nowMs: 0, requestVersion: 'v1' };
const modern = { nowMs: 0, requestVersion: 'events.k8s.io/v1' };

function event(more: object = {}): Event {
  return {
    metadata: { name: 'e', namespace: 'n', resourceVersion: '1' },
    involvedObject: { kind: 'Pod', namespace: 'n', name: 'p' },
    reason: 'Started',
    type: 'Normal',
    ...more,
  } as Event;
}

function modernEvent(more: object = {}): Event {
  return event({
    eventTime: '2026-01-02T00:00:00.000000Z',
    action: 'Binding',
    reportingComponent: 'a.io/c',
    reportingInstance: 'c-0',
    ...more,
  });
}

function texts(errors: readonly FieldError[] | undefined): readonly string[] {
  return (errors ?? []).map((error) => `${error.field}: ${error.body}`);
}

test('an Event is in the namespace of its object; those of cluster-scoped objects are in default', () => {
  const check = (about: string, namespace: string): number =>
    texts(
      coreEventStrategy.validateCreate?.(
        event({ involvedObject: { kind: 'K', namespace: about }, metadata: { name: 'e', namespace } }),
        core,
      ),
    ).length;
  assert.deepEqual([check('n', 'n'), check('', 'default'), check('n', 'm'), check('', 'm')], [0, 0, 1, 1]);
});

test('events.k8s.io asks who did what and when, and takes no old fields', () => {
  assert.deepEqual(texts(eventStrategy.validateCreate?.(modernEvent(), modern)), []);
  assert.deepEqual(texts(eventStrategy.validateCreate?.(modernEvent({ count: 2, type: 'Odd' }), modern)), [
    'type: Invalid value: "": has invalid value: Odd',
    'count: Invalid value: "": needs to be unset',
  ]);
  assert.deepEqual(texts(eventStrategy.validateCreate?.(event(), modern)), ['eventTime: Required value']);
});

test('events.k8s.io lets only the series change', () => {
  const old = modernEvent();
  const series = { count: 2, lastObservedTime: '2026-01-02T00:00:01.000000Z' };
  assert.deepEqual(texts(eventStrategy.validateUpdate?.(modernEvent({ series }), old, modern)), []);
  assert.deepEqual(texts(eventStrategy.validateUpdate?.(modernEvent({ action: 'Other' }), old, modern)), [
    'action: Invalid value: "Other": field is immutable',
  ]);
  assert.deepEqual(texts(coreEventStrategy.validateUpdate?.(modernEvent({ action: 'Other' }), old, core)), []);
});

test('both groups select by the same fields under names of their own', () => {
  const fields = coreEventStrategy.selectableFields?.(event({ reportingComponent: 'r' }));
  assert.equal(fields?.['source'], 'r');
  assert.equal(fields?.['involvedObject.name'], 'p');
  assert.deepEqual(
    (eventStrategy.fieldLabels as Readonly<Record<string, string>>)['regarding.name'],
    'involvedObject.name',
  );
});
