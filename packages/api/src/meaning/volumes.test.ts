import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Node, PersistentVolume, PersistentVolumeClaim } from '@homeostat/api/types/core-v1';
import { findMatchingVolume, isClaimBound, storageClassNameOf } from './volumes.ts';

const claim = (size: string, spec: PersistentVolumeClaim['spec'] = {}): PersistentVolumeClaim => ({
  metadata: { name: 'c', namespace: 'default', uid: 'u' },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 's', resources: { requests: { storage: size } }, ...spec },
});
const volume = (
  name: string,
  size: string,
  spec: PersistentVolume['spec'] = {},
  more: Partial<PersistentVolume> = {},
): PersistentVolume => ({
  metadata: { name },
  spec: { capacity: { storage: size }, accessModes: ['ReadWriteOnce'], storageClassName: 's', ...spec },
  status: { phase: 'Available' },
  ...more,
});
const node: Node = { metadata: { name: 'n', labels: { zone: 'a' } } };
const onlyIn = (zone: string): PersistentVolume['spec'] => ({
  nodeAffinity: {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }] },
  },
});
const named = (uid?: string): PersistentVolume['spec'] => ({
  claimRef: { name: 'c', namespace: 'default', ...(uid === undefined ? {} : { uid }) },
});

describe('findMatchingVolume()', () => {
  const cases: readonly (readonly [string, PersistentVolumeClaim, readonly PersistentVolume[], string | undefined])[] =
    [
      [
        'the smallest that is large enough',
        claim('4Gi'),
        [volume('10', '10Gi'), volume('1', '1Gi'), volume('5', '5Gi')],
        '5',
      ],
      ['none that is too small', claim('4Gi'), [volume('1', '1Gi')], undefined],
      ['none of another class', claim('1Gi'), [volume('v', '1Gi', { storageClassName: 'other' })], undefined],
      ['none of another mode', claim('1Gi'), [volume('v', '1Gi', { volumeMode: 'Block' })], undefined],
      [
        'none that lacks an access mode',
        claim('1Gi', { accessModes: ['ReadWriteMany'] }),
        [volume('v', '1Gi')],
        undefined,
      ],
      ['none that the node cannot reach', claim('1Gi'), [volume('v', '1Gi', onlyIn('b'))], undefined],
      ['one that the node can reach', claim('1Gi'), [volume('v', '1Gi', onlyIn('a'))], 'v'],
      [
        'none that is taken',
        claim('1Gi'),
        [volume('v', '1Gi', { claimRef: { name: 'd', namespace: 'default' } })],
        undefined,
      ],
      ['none of a claim that had its name', claim('1Gi'), [volume('v', '1Gi', named('old'))], undefined],
      ['one that names it, though it is larger', claim('1Gi'), [volume('v', '1Gi'), volume('w', '9Gi', named())], 'w'],
      [
        'nothing when the one that names it is out of reach',
        claim('1Gi'),
        [volume('w', '1Gi', { ...named('u'), ...onlyIn('b') }), volume('v', '1Gi')],
        undefined,
      ],
      [
        'none that has been released',
        claim('1Gi'),
        [volume('v', '1Gi', {}, { status: { phase: 'Released' } })],
        undefined,
      ],
      [
        'one with the labels asked for',
        claim('1Gi', { selector: { matchLabels: { a: 'b' } } }),
        [volume('v', '1Gi'), volume('w', '2Gi', {}, { metadata: { name: 'w', labels: { a: 'b' } } })],
        'w',
      ],
    ];
  for (const [what, wanted, volumes, expected] of cases) {
    it(`finds ${what}`, () => assert.equal(findMatchingVolume(wanted, volumes, { node })?.metadata?.name, expected));
  }

  it('leaves volumes for claims that wait for a pod to the scheduler', () => {
    const volumes = [volume('v', '1Gi'), volume('w', '1Gi', named())];
    assert.equal(findMatchingVolume(claim('1Gi'), volumes.slice(0, 1), { waitsForConsumer: true }), undefined);
    assert.equal(findMatchingVolume(claim('1Gi'), volumes, { waitsForConsumer: true })?.metadata?.name, 'w');
  });
});

describe('isClaimBound()', () => {
  it('needs the volume and the sign that binding is complete', () => {
    const bound = claim('1Gi', { volumeName: 'v' });
    assert.equal(isClaimBound(bound), false);
    assert.equal(
      isClaimBound({ ...bound, metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } }),
      true,
    );
  });
});

describe('storageClassNameOf()', () => {
  it('prefers the old annotation', () => {
    assert.equal(storageClassNameOf(claim('1Gi')), 's');
    assert.equal(
      storageClassNameOf({
        ...claim('1Gi'),
        metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'old' } },
      }),
      'old',
    );
  });
});
