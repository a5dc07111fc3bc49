// Addresses of a pool's nodes and of their Pods, by the node's place in the pool. Machines are in 172.18.0.0/12, Pods in 10.244.0.0/24 and on;
// Service ranges that clusters usually have (10.0.0.0/24, 10.96.0.0/12) are kept clear.

import { invariant } from '@homeostat/base';
import { type AddressRange, formatAddress } from '../simulated/address-pool.ts';

/** Not more: the ranges would meet others. */
export const nodesMax = 32_000;

const firstHost = address(172, 18, 0, 2);
const firstBlocks = address(10, 244, 0, 0);
const firstBlockCount = 12 * 256;
const laterBlocks = address(10, 128, 0, 0);
const laterBlockCount = 116 * 256;
const blockSize = 256;

export function hostAddress(index: number): string {
  return formatAddress(firstHost + index);
}

/** How many /24 blocks a node with room for that many Pods needs. */
export function blocksFor(podsMax: number): number {
  let blocks = 1;
  while (blocks * blockSize - 3 < podsMax) blocks *= 2;
  return blocks;
}

/** The range of `count` blocks from block number `first` on. */
export function podRange(first: number, count: number): AddressRange {
  if (first + count <= firstBlockCount) return { base: firstBlocks + first * blockSize, size: count * blockSize };
  const later = Math.max(0, first - firstBlockCount);
  invariant(later + count <= laterBlockCount, 'the pool has no addresses left for the pods of another node');
  return { base: laterBlocks + later * blockSize, size: count * blockSize };
}

function address(a: number, b: number, c: number, d: number): number {
  return ((a * 256 + b) * 256 + c) * 256 + d;
}
