// The bounds a LimitRange item sets on one resource, and the words in which one is broken.

import type { ResourceList } from '@homeostat/api';
import type { LimitRangeItem } from '@homeostat/api/types/core-v1';
import { canonicalQuantity, compareQuantity, parseQuantity } from '@homeostat/machinery';

export interface Amounts {
  readonly requests: ResourceList;
  readonly limits: ResourceList;
}

/** Every bound of `item` that `amounts` break. */
export function brokenBounds(item: LimitRangeItem, { requests, limits }: Amounts): readonly string[] {
  const { type } = item;
  return [
    ...check(item.min, (name, bound) =>
      belowMinimum({ name, type, bound, request: requests[name], limit: limits[name] }),
    ),
    ...check(item.max, (name, bound) =>
      aboveMaximum({ name, type, bound, request: requests[name], limit: limits[name] }),
    ),
    ...check(item.maxLimitRequestRatio, (name, bound) =>
      aboveRatio({ name, type, bound, request: requests[name], limit: limits[name] }),
    ),
  ];
}

/** The bounds on what a claim asks for: claims have no limits. */
export function brokenClaimBounds(item: LimitRangeItem, requests: ResourceList): readonly string[] {
  const { type } = item;
  return [
    ...check(item.min, (name, bound) => belowMinimum({ name, type, bound, request: requests[name], limit: undefined })),
    ...check(item.max, (name, bound) => {
      const usage = `maximum ${name} usage per ${type} is ${canonicalQuantity(bound)}`;
      const request = requests[name];
      if (request === undefined) return `${usage}.  No request is specified`;
      return compareQuantity(request, bound) > 0 ? `${usage}, but request is ${canonicalQuantity(request)}` : undefined;
    }),
  ];
}

interface Bounded {
  readonly name: string;
  readonly type: string;
  readonly bound: string;
  readonly request: string | undefined;
  readonly limit: string | undefined;
}

function check(
  bounds: ResourceList | undefined,
  complaint: (name: string, bound: string) => string | undefined,
): readonly string[] {
  return Object.entries(bounds ?? {})
    .map(([name, bound]) => complaint(name, bound))
    .filter((text) => text !== undefined);
}

function belowMinimum({ name, type, bound, request, limit }: Bounded): string | undefined {
  const usage = `minimum ${name} usage per ${type} is ${canonicalQuantity(bound)}`;
  if (request === undefined) return `${usage}.  No request is specified`;
  if (compareQuantity(request, bound) < 0) return `${usage}, but request is ${canonicalQuantity(request)}`;
  if (limit === undefined || compareQuantity(limit, bound) >= 0) return undefined;
  return `${usage}, but limit is ${canonicalQuantity(limit)}`;
}

function aboveMaximum({ name, type, bound, request, limit }: Bounded): string | undefined {
  const usage = `maximum ${name} usage per ${type} is ${canonicalQuantity(bound)}`;
  if (limit === undefined) return `${usage}.  No limit is specified`;
  if (compareQuantity(limit, bound) > 0) return `${usage}, but limit is ${canonicalQuantity(limit)}`;
  if (request === undefined || compareQuantity(request, bound) <= 0) return undefined;
  return `${usage}, but request is ${canonicalQuantity(request)}`;
}

function aboveRatio({ name, type, bound, request, limit }: Bounded): string | undefined {
  const most = `${name} max limit to request ratio per ${type} is ${canonicalQuantity(bound)}`;
  if (isNothing(request)) return `${most}, but no request is specified or request is 0`;
  if (isNothing(limit)) return `${most}, but no limit is specified or limit is 0`;
  const ratio = parseQuantity(limit).toNumber() / parseQuantity(request).toNumber();
  return ratio > parseQuantity(bound).toNumber() ? `${most}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}

function isNothing(amount: string | undefined): amount is undefined {
  return amount === undefined || parseQuantity(amount).isZero;
}
