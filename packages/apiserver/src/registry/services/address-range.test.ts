import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '@homeostat/base';
import { AddressRange } from './address-range.ts';

const random = createSeededRandom(7);

test('candidates() names every usable address once, the reserved band last', () => {
  const range = new AddressRange('10.0.0.0/24');
  const all = [...range.candidates(random)];
  assert.equal(new Set(all).size, 254);
  assert.ok(all.every((ip) => range.contains(ip)));
  const low = all.slice(-16).map((ip) => Number(ip.split('.')[3]));
  assert.deepEqual(
    low.toSorted((a, b) => a - b),
    Array.from({ length: 16 }, (_, index) => index + 1),
  );
});

test('the network and the broadcast address are nobody’s', () => {
  const range = new AddressRange('10.0.0.0/24');
  assert.deepEqual([range.network, range.first], ['10.0.0.0', '10.0.0.1']);
  assert.deepEqual(
    ['10.0.0.0', '10.0.0.1', '10.0.0.254', '10.0.0.255', '10.0.1.1', 'fd00::1', 'x'].map((ip) => range.contains(ip)),
    [false, true, true, false, false, false, false],
  );
});

test('one address and whole IPv6 networks are ranges too', () => {
  assert.deepEqual([...new AddressRange('10.1.2.3/32').candidates(random)], ['10.1.2.3']);
  const wide = new AddressRange('fd00:1::/64');
  assert.equal(wide.family, 'IPv6');
  const first = wide.candidates(random).next().value ?? '';
  assert.ok(wide.contains(first), first);
  assert.throws(() => new AddressRange('10.0.0.0'), /expected a CIDR/);
});
