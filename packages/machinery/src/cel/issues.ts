// What is wrong with an expression, and how upstream prints it: message, line, and a pointer under the place.

/** One problem at a place of the text (an offset in UTF-16 units). */
export interface CelIssue {
  readonly offset: number;
  readonly message: string;
}

const issuesMax = 100;

/** Thrown inside the parser to give up; the public functions return issues instead. */
export class CelSyntaxError extends Error {
  override readonly name = 'CelSyntaxError';
  readonly issue: CelIssue;

  constructor(issue: CelIssue) {
    super(issue.message);
    this.issue = issue;
  }
}

/** `ERROR: <input>:1:5: undefined field 'x'`, the line and the pointer; issues in the order of their places. */
export function formatIssues(source: string, issues: readonly CelIssue[]): string {
  const sorted = issues.toSorted((a, b) => a.offset - b.offset);
  const shown = sorted.slice(0, issuesMax).map((issue) => formatIssue(source, issue));
  if (sorted.length > issuesMax) shown.push(`${sorted.length - issuesMax} more errors were truncated`);
  return shown.join('\n');
}

function formatIssue(source: string, issue: CelIssue): string {
  const before = source.slice(0, issue.offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  const lineNumber = before.split('\n').length;
  const column = Array.from(before.slice(lineStart)).length;
  const lineEnd = source.indexOf('\n', lineStart);
  const line = source.slice(lineStart, lineEnd === -1 ? undefined : lineEnd).replaceAll('\t', ' ');
  const dots = Array.from(line)
    .slice(0, column)
    .map((char) => (isWide(char) ? '．' : '.'))
    .join('')
    .padEnd(column, '.');
  return `ERROR: <input>:${lineNumber}:${column + 1}: ${issue.message}\n | ${line}\n | ${dots}^`;
}

/** Upstream points with full-width dots under characters that take more than one byte. */
function isWide(char: string): boolean {
  return (char.codePointAt(0) ?? 0) > 0x7f;
}
