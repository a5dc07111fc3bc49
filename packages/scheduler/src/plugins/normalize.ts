// The usual way of bringing raw scores into 0 to 100 (spec/scheduler.md §7.6): in proportion to the highest.

/** Changes `scores` in place. @param reverse the lowest raw score is the best */
export function normalizeByMaximum(scores: Float64Array, reverse: boolean): void {
  let max = 0;
  for (const score of scores) max = Math.max(max, score);
  if (max === 0) {
    if (reverse) scores.fill(100);
    return;
  }
  for (let index = 0; index < scores.length; index++) {
    const share = Math.trunc(((scores[index] ?? 0) * 100) / max);
    scores[index] = reverse ? 100 - share : share;
  }
}
