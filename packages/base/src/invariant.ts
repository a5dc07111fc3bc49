// Assertions that stay on in production (design law 14): a broken invariant is a defect of ours and
// must stop the process, never turn into a wrong answer.

/** Thrown by {@link invariant}; nothing may catch it except the process's last-resort handler. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/**
 * Asserts what can only be false through a defect of ours.
 *
 * @throws {@link InvariantError} when `condition` is falsy.
 * @example invariant(revision > last, `revision ${revision} does not follow ${last}`);
 */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** Fails to compile when a union is not handled exhaustively; throws when a value escaped its type. */
export function unreachable(value: never): never {
  throw new InvariantError(`unreachable value: ${String(value)}`);
}
