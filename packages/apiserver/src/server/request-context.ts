// What travels with a request through the chain. Built once at the door; stages fill in the user.

import type { ApiRequest } from '@homeostat/client';
import type { TermGuard } from '../registry/term-guard.ts';
import type { RequestInfo } from './request-info.ts';
import type { User } from './user.ts';
import type { WarningRecorder } from './warnings.ts';

export interface RequestContext {
  readonly request: ApiRequest;
  readonly query: URLSearchParams;
  readonly info: RequestInfo;
  readonly auditId: string;
  /** Wall time of arrival, epoch milliseconds. */
  readonly receivedMs: number;
  /** After authentication and impersonation; anonymous before. */
  readonly user: User;
  readonly warnings: WarningRecorder;
  /** Aborts when the client is gone, the deadline has passed, or the server stops. */
  readonly signal: AbortSignal;
  /** Monotonic milliseconds; undefined for long-running requests. */
  readonly deadlineMs: number | undefined;
  /** Set for writes that carry a leader's term. */
  readonly term?: TermGuard | undefined;
  /** Audit annotations, e.g. the authorization decision. */
  annotate(key: string, value: string): void;
}
