// How tables print spans of time: `12d`, `5m3s`, `2y40d` (spec/apiserver.md §11.1). Times come in as wire strings; the
// clock is the caller's.

import { humanDuration } from '@homeostat/machinery';

/** Prints how long ago a wire time was; absent times are `<unknown>`. */
export function formatAge(time: string | null | undefined, nowMs: number): string {
  const at = time === null || time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(at) ? '<unknown>' : humanDuration(nowMs - at);
}
