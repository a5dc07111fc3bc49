// Ownership after creates and updates.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gadget, gadgetV2 } from '../../test-data/gadget.ts';
import type { KubeObject, ManagedFieldsEntry } from '../meta/object.ts';
import { excludeFields } from './field-filter.ts';
import { keepUnchangedTimes } from './keep-times.ts';
import type { TrackUpdateOptions } from './ownership-types.ts';
import { trackUpdate } from './track-update.ts';

const apiVersion = 'example.com/v1';
const base = {
  apiVersion,
  time: '2026-01-01T00:00:00Z',
  schemaFor: (version: string) =>
    version === apiVersion ? gadget : version === 'example.com/v2' ? gadgetV2 : undefined,
  convert: (object: KubeObject, version: string): KubeObject => ({ ...object, apiVersion: version }),
  resetFields: () => excludeFields('status'),
};

interface Gadget extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

const created: Gadget = {
  apiVersion,
  kind: 'Gadget',
  metadata: { name: 'g', namespace: 'n', labels: { a: '1' }, finalizers: ['e.com/f'] },
  spec: {
    replicas: 1,
    selector: { matchLabels: { a: '1' } },
    ports: [{ port: 80 }],
    parts: [{ name: 'main', image: 'i' }],
    tolerations: [{ key: 'k' }],
    extra: { deep: [1], more: { x: 1 } },
  },
  status: { phase: 'New' },
};

function track(
  options: Partial<TrackUpdateOptions> & Pick<TrackUpdateOptions, 'object'>,
): readonly ManagedFieldsEntry[] {
  return trackUpdate({ ...base, manager: 'm', live: undefined, ...options }) ?? [];
}

/** The object as the store would hold it. */
function stored(object: Gadget, entries: readonly ManagedFieldsEntry[]): Gadget {
  return { ...object, metadata: { ...object.metadata, uid: 'u', managedFields: entries } };
}

const live = stored(created, track({ object: created }));

test('trackUpdate() gives the creator every field it set, but no system fields and no reset ones', () => {
  assert.deepEqual(track({ object: created }), [
    {
      manager: 'm',
      operation: 'Update',
      apiVersion,
      time: base.time,
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:metadata': { 'f:finalizers': { '.': {}, 'v:"e.com/f"': {} }, 'f:labels': { '.': {}, 'f:a': {} } },
        'f:spec': {
          'f:extra': { '.': {}, 'f:deep': {}, 'f:more': { '.': {}, 'f:x': {} } },
          'f:parts': { 'k:{"name":"main"}': { '.': {}, 'f:image': {}, 'f:limits': {}, 'f:name': {} } },
          'f:ports': { '.': {}, 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
          'f:replicas': {},
          'f:selector': {},
          'f:tolerations': {},
        },
      },
    },
  ]);
});

test('trackUpdate() moves what a writer changes to it', () => {
  const object = { ...created, spec: { ...(created.spec as object), replicas: 2, paused: true } };
  const [first, second] = track({ live, object, manager: 'other', time: '2026-01-02T00:00:00Z' });
  assert.equal(first?.manager, 'm');
  assert.ok(!Object.hasOwn(first?.fieldsV1?.['f:spec'] as object, 'f:replicas'));
  assert.deepEqual(second, {
    manager: 'other',
    operation: 'Update',
    apiVersion,
    time: '2026-01-02T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } },
  });
});

test('trackUpdate() forgets removed fields and managers that own nothing any more', () => {
  const object = { apiVersion, kind: 'Gadget', metadata: { name: 'g', uid: 'u' }, spec: { parts: [] } };
  assert.deepEqual(track({ live, object, manager: 'other' }), []);
});

test('trackUpdate() returns the live entries when nothing changed', () => {
  const entries = track({ live, object: live, manager: 'other' });
  assert.deepEqual(entries, live.metadata?.managedFields);
  assert.equal(entries[0], live.metadata?.managedFields?.[0]);
});

test('trackUpdate() keeps subresources apart', () => {
  const object = { ...live, status: { phase: 'Ready', conditions: [{ type: 'Ok', status: 'True' }] } };
  const entries = track({ live, object, subresource: 'status', resetFields: () => excludeFields('spec') });
  assert.deepEqual(
    entries.map(({ manager, subresource, fieldsV1 }) => [manager, subresource, fieldsV1?.['f:status']]),
    [
      ['m', undefined, undefined],
      [
        'm',
        'status',
        {
          'f:conditions': { '.': {}, 'k:{"type":"Ok"}': { '.': {}, 'f:status': {}, 'f:type': {} } },
          'f:phase': {},
        },
      ],
    ],
  );
});

test('trackUpdate() takes over entries that a client sends, and clears them when it sends none', () => {
  const sent: ManagedFieldsEntry[] = [
    {
      manager: 'x',
      operation: 'Update',
      apiVersion,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    },
  ];
  const withEntries = (managedFields: readonly ManagedFieldsEntry[]): Gadget => ({
    ...live,
    metadata: { ...live.metadata, managedFields },
  });
  assert.deepEqual(track({ live, object: withEntries(sent) }), sent);
  assert.deepEqual(track({ live, object: withEntries([]) }), []);
  assert.deepEqual(track({ live, object: withEntries([{}]) }), []);
  const malformed: ManagedFieldsEntry[] = [{ manager: 'x', operation: 'Update', apiVersion, fieldsType: 'Other' }];
  assert.deepEqual(track({ live, object: withEntries(malformed) }), live.metadata?.managedFields);
  assert.deepEqual(track({ live, object: withEntries(sent), subresource: 'status' }), live.metadata?.managedFields);
});

test('trackUpdate() does not start to track an object that nobody tracks', () => {
  const untracked = stored(created, []);
  assert.equal(
    trackUpdate({ ...base, manager: 'm', live: untracked, object: { ...untracked, kind: 'Other' } }),
    undefined,
  );
});

test('trackUpdate() compares at the version of each manager and drops versions that are gone', () => {
  const entry = (manager: string, version: string, fields: Record<string, object>): ManagedFieldsEntry => ({
    manager,
    operation: 'Update',
    apiVersion: version,
    fieldsType: 'FieldsV1',
    fieldsV1: fields as never,
  });
  const old = stored(created, [
    entry('gone', 'example.com/v0', { 'f:spec': {} }),
    entry('two', 'example.com/v2', { 'f:metadata': { 'f:labels': { 'f:a': {}, 'f:b': {} } } }),
  ]);
  const object = { ...old, metadata: { ...old.metadata, labels: { a: '2' } } };
  const entries = track({ live: old, object, manager: 'm' });
  assert.deepEqual(
    entries.map(({ manager, fieldsV1 }) => [manager, fieldsV1]),
    [
      ['two', { 'f:metadata': { 'f:labels': { 'f:b': {} } } }],
      ['m', { 'f:metadata': { 'f:labels': { 'f:a': {} } } }],
    ],
  );
});

test('trackUpdate() merges the oldest of more than ten update managers into ancient-changes', () => {
  let object = live;
  for (let i = 1; i <= 12; i++) {
    const next: Gadget = {
      ...object,
      metadata: { ...object.metadata, labels: { ...object.metadata?.labels, [`l${i}`]: 'x' } },
    };
    const time = `2026-01-${String(i + 1).padStart(2, '0')}T00:00:00Z`;
    object = stored(next, track({ live: object, object: next, manager: `m${i}`, time }));
  }
  const entries = object.metadata?.managedFields ?? [];
  assert.equal(entries.length, 10);
  assert.equal(entries[0]?.manager, 'ancient-changes');
  assert.equal(entries[0]?.time, '2026-01-04T00:00:00Z');
  const owned = entries[0]?.fieldsV1?.['f:metadata'] as { 'f:labels': object };
  assert.deepEqual(Object.keys(owned['f:labels']), ['.', 'f:a', 'f:l1', 'f:l2', 'f:l3']);
});

test('trackUpdate() stores an object whose ownership cannot be told without tracking', () => {
  const object = { ...live, metadata: { ...live.metadata, finalizers: [{ not: 'a text' }] } } as unknown as Gadget;
  assert.equal(trackUpdate({ ...base, manager: 'm', live, object }), undefined);
});

test('keepUnchangedTimes() restores times where nothing else changed', () => {
  const later = (live.metadata?.managedFields ?? []).map((entry) => ({ ...entry, time: '2027-01-01T00:00:00Z' }));
  const object = stored(created, later);
  assert.equal(keepUnchangedTimes(live, object).metadata?.managedFields?.[0]?.time, base.time);
  const changed = { ...object, spec: { replicas: 9 } };
  assert.equal(keepUnchangedTimes(live, changed), changed);
});
