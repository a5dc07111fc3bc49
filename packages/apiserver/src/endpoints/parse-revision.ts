// Reads a resourceVersion parameter the way upstream's versioner does, with its error text.

import { newUnknown } from '@homeostat/machinery';

/** Empty and `0` are 0. @throws ApiError 500 without a reason (callers turn it into what their verb answers) */
export function parseRevision(text: string): number {
  if (text === '' || text === '0') return 0;
  if (!/^\d+$/.test(text)) throw failure(text, 'invalid syntax');
  if (BigInt(text) > 18_446_744_073_709_551_615n) throw failure(text, 'value out of range');
  return Number(text);
}

function failure(text: string, why: string): Error {
  const quoted = JSON.stringify(text);
  return newUnknown(`resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${why}`);
}
