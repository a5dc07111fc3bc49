// How tables print spans of time: the two coarsest units that matter, as in `12d`, `5m3s` or `2y40d`. A port of meaning,
// not of code, of `k8s.io/apimachinery/pkg/util/duration` (spec/apiserver.md §11.1). Times come in as wire strings;
// the clock is the caller's.

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Prints a span: `<invalid>` when it lies more than a second in the future. */
export function formatSpan(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return pair(seconds, MINUTE, 'm', 1, 's');
  if (seconds < 3 * HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return pair(seconds, HOUR, 'h', MINUTE, 'm');
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return pair(seconds, DAY, 'd', HOUR, 'h');
  if (seconds < 2 * YEAR) return `${Math.floor(seconds / DAY)}d`;
  if (seconds < 8 * YEAR) return pair(seconds, YEAR, 'y', DAY, 'd');
  return `${Math.floor(seconds / YEAR)}y`;
}

/** Prints how long ago a wire time was; absent times are `<unknown>`. */
export function formatAge(time: string | null | undefined, nowMs: number): string {
  const at = time === null || time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(at) ? '<unknown>' : formatSpan(nowMs - at);
}

function pair(seconds: number, big: number, bigUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((seconds % big) / small);
  const head = `${Math.floor(seconds / big)}${bigUnit}`;
  return rest === 0 ? head : `${head}${rest}${smallUnit}`;
}
