// What those who act as leaders know of it: the term while it surely lasts, and the error when it does not.

import type { LeaderTerm } from '@homeostat/client';

/** The lease was lost while leading. Whoever acted must end the process, or at least act no more. */
export class LeadershipLostError extends Error {
  override readonly name: string = 'LeadershipLostError';
}

/**
 * More time has passed than the monotonic clock counted (a suspended machine): whether this process still leads is known after the next
 * renewal. What failed with it may be tried again.
 */
export class LeadershipUnsureError extends Error {
  override readonly name = 'LeadershipUnsureError';
}

/** The right to act, as the one who was elected sees it. */
export interface Leadership {
  /**
   * The term, if it surely lasts at this moment. Ask right before each effect outside the API server; for writes a client of
   * {@link createLeaderClient} does.
   * @throws LeadershipLostError; LeadershipUnsureError
   */
  term(): LeaderTerm;
  /** A server refused a write of the term as over: makes the elector look at once. */
  refused(): void;
}
