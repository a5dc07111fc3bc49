import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CSIDriver, CSINode, StorageClass, VolumeAttachment } from '@homeostat/api/types/storage-v1';
import type { FieldError, Mutable } from '@homeostat/machinery';
import { csiDriverStrategy } from './csi-driver.ts';
import { csiNodeStrategy } from './csi-node.ts';
import { storageClassStrategy } from './storage-class.ts';
import { volumeAttachmentStrategy } from './volume-attachment.ts';

const context = { nowMs: 0 };
const metadata = { name: 'x', uid: 'u', resourceVersion: '1' };

function texts(errors: readonly FieldError[] | undefined): readonly string[] {
  return (errors ?? []).map((error) => `${error.field}: ${error.body}`);
}

test('a StorageClass deletes and binds at once unless it says otherwise; only harmless fields change', () => {
  const draft = { metadata, provisioner: 'a.io/p' } as Mutable<StorageClass>;
  storageClassStrategy.applyDefaults?.(draft);
  assert.deepEqual([draft.reclaimPolicy, draft.volumeBindingMode], ['Delete', 'Immediate']);
  const old = draft as StorageClass;
  assert.deepEqual(texts(storageClassStrategy.validateCreate?.(old, context)), []);
  const grown = { ...old, allowVolumeExpansion: true, mountOptions: ['ro'] } as StorageClass;
  assert.deepEqual(texts(storageClassStrategy.validateUpdate?.(grown, old, context)), []);
  const kept = { ...old, reclaimPolicy: 'Retain' } as StorageClass;
  assert.deepEqual(texts(storageClassStrategy.validateUpdate?.(kept, old, context)), [
    'reclaimPolicy: Invalid value: "Retain": field is immutable',
  ]);
});

test("a CSIDriver's defaults are those of drivers that know nothing of newer features", () => {
  const draft = { metadata, spec: {} } as Mutable<CSIDriver>;
  csiDriverStrategy.applyDefaults?.(draft);
  assert.deepEqual(draft.spec, {
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    volumeLifecycleModes: ['Persistent'],
    requiresRepublish: false,
    seLinuxMount: false,
  });
  const other = structuredClone(draft);
  if (other.spec !== undefined) other.spec.attachRequired = false;
  const errors = csiDriverStrategy.validateUpdate?.(other as CSIDriver, draft as CSIDriver, context);
  assert.deepEqual(texts(errors), ['spec.attachedRequired: Invalid value: false: field is immutable']);
});

test("a CSINode's drivers come and go, but keep what they say", () => {
  const node = (nodeID: string): CSINode =>
    ({ metadata, spec: { drivers: [{ name: 'a.io', nodeID, topologyKeys: [] }] } }) as CSINode;
  assert.deepEqual(texts(csiNodeStrategy.validateCreate?.(node('1'), context)), []);
  assert.match(texts(csiNodeStrategy.validateUpdate?.(node('2'), node('1'), context))[0] ?? '', /field is immutable$/);
  const empty = { metadata, spec: { drivers: [] } } as CSINode;
  assert.deepEqual(texts(csiNodeStrategy.validateUpdate?.(empty, node('1'), context)), []);
});

test('a VolumeAttachment has one source; its status endpoint writes no spec', () => {
  const attachment = (source: object): VolumeAttachment =>
    ({ metadata, spec: { attacher: 'a.io', nodeName: 'n', source } }) as VolumeAttachment;
  const old = attachment({ persistentVolumeName: 'v' });
  assert.deepEqual(texts(volumeAttachmentStrategy.validateCreate?.(old, context)), []);
  assert.equal(texts(volumeAttachmentStrategy.validateCreate?.(attachment({}), context)).length, 1);
  const draft = attachment({ persistentVolumeName: 'w' }) as Mutable<VolumeAttachment>;
  volumeAttachmentStrategy.subresources?.['status']?.prepareForUpdate?.(draft, old, context);
  assert.deepEqual(draft.spec, old.spec);
});
