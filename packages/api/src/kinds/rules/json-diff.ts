// A unified diff of two values as indented JSON, as it ends messages about specs that may not change. Three lines of
// context, without file names. Upstream diffs its internal structs, so its lines differ; the form is the same.

export function jsonDiff(before: unknown, after: unknown): string {
  const a = lines(before);
  const b = lines(after);
  const edits = editScript(a, b);
  return hunks(edits).join('');
}

const context = 3;
/** Above this the middle is shown as replaced: the table of the exact way would take too much time and memory. */
const cellsMax = 1_000_000;

interface Edit {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

function lines(value: unknown): readonly string[] {
  const text = JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? Number(item) : item), 1);
  return (text ?? 'null').split('\n');
}

/** The longest common subsequence, as a script; both sides trimmed of what they share at the ends first. */
function editScript(a: readonly string[], b: readonly string[]): readonly Edit[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const same = (text: string): Edit => ({ mark: ' ', text });
  return [
    ...a.slice(0, start).map(same),
    ...middleScript(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

function middleScript(a: readonly string[], b: readonly string[]): readonly Edit[] {
  if (a.length * b.length > cellsMax) {
    return [...a.map((text): Edit => ({ mark: '-', text })), ...b.map((text): Edit => ({ mark: '+', text }))];
  }
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const diagonal = (lengths[(i + 1) * width + j + 1] ?? 0) + 1;
      const longest = Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
      lengths[i * width + j] = a[i] === b[j] ? diagonal : longest;
    }
  }
  const edits: Edit[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const down = i < a.length ? (lengths[(i + 1) * width + j] ?? 0) : -1;
    const right = j < b.length ? (lengths[i * width + j + 1] ?? 0) : -1;
    if (i < a.length && j < b.length && a[i] === b[j]) {
      edits.push({ mark: ' ', text: a[i] ?? '' });
      i += 1;
      j += 1;
    } else if (down >= right) {
      edits.push({ mark: '-', text: a[i] ?? '' });
      i += 1;
    } else {
      edits.push({ mark: '+', text: b[j] ?? '' });
      j += 1;
    }
  }
  return edits;
}

function hunks(edits: readonly Edit[]): readonly string[] {
  const changed = edits.flatMap((edit, index) => (edit.mark === ' ' ? [] : [index]));
  const ranges: { from: number; to: number }[] = [];
  for (const index of changed) {
    const last = ranges.at(-1);
    if (last !== undefined && index - context <= last.to) last.to = Math.min(edits.length, index + context + 1);
    else ranges.push({ from: Math.max(0, index - context), to: Math.min(edits.length, index + context + 1) });
  }
  const texts: string[] = [];
  const at = { old: 1, new: 1 };
  let done = 0;
  const skip = (until: number): void => {
    for (const { mark } of edits.slice(done, until)) {
      if (mark !== '+') at.old += 1;
      if (mark !== '-') at.new += 1;
    }
    done = until;
  };
  for (const { from, to } of ranges) {
    skip(from);
    const start = { ...at };
    skip(to);
    const sides = `-${start.old},${at.old - start.old} +${start.new},${at.new - start.new}`;
    const body = edits.slice(from, to).map(({ mark, text }) => `${mark}${text}\n`);
    texts.push(`@@ ${sides} @@\n${body.join('')}`);
  }
  return texts;
}
