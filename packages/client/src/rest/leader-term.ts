// The term of a leader as it travels with a write (ADR 0027): which Lease, which holder, which term of it. A server that knows the header
// refuses the write unless the Lease, as stored at that moment, is of the same term; others ignore it.

import { apiErrorOf } from './predicates.ts';

/** Header that carries a {@link LeaderTerm}. */
export const leaderTermHeader = 'homeostat-leader-term';

/** One term of one leader: from winning a Lease until somebody else, or a later run of the same process, wins it. */
export interface LeaderTerm {
  readonly namespace: string;
  readonly name: string;
  /** Of the Lease: one that was deleted and made anew counts its terms from the start. */
  readonly uid: string;
  /** `spec.holderIdentity` of the Lease. */
  readonly holder: string;
  /** `spec.leaseTransitions` of the Lease: grows with every term. */
  readonly transitions: number;
}

/** The value of the header: `namespace/name;uid=…;holder=…;transitions=…`, each part percent-encoded. */
export function formatLeaderTerm({ namespace, name, uid, holder, transitions }: LeaderTerm): string {
  const [where, id, who] = [`${encode(namespace)}/${encode(name)}`, encode(uid), encode(holder)];
  return `${where};uid=${id};holder=${who};transitions=${transitions}`;
}

/** Reads what {@link formatLeaderTerm} wrote; undefined when it is anything else. */
export function parseLeaderTerm(value: string): LeaderTerm | undefined {
  const found = /^([^/;]+)\/([^/;]+);uid=([^;]+);holder=([^;]+);transitions=(\d{1,10})$/.exec(value);
  if (found === null) return undefined;
  try {
    const [, namespace = '', name = '', uid = '', holder = '', transitions = ''] = found.map((part) =>
      decodeURIComponent(part),
    );
    return { namespace, name, uid, holder, transitions: Number(transitions) };
  } catch {
    return undefined; // a broken percent sequence
  }
}

/** Cause under which a server refuses a write of a term that is over: a 409 whose details carry it. */
export const leaderTermEnded = 'LeaderTermEnded';

/** Whether a server refused a write because the term it carried is over. */
export function isLeaderTermEnded(error: unknown): boolean {
  return apiErrorOf(error)?.details?.causes?.some(({ reason }) => reason === leaderTermEnded) === true;
}

// Header values are ASCII; the separators above are encoded by it too.
function encode(text: string): string {
  return encodeURIComponent(text);
}
