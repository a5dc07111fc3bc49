// Fencing of a leader's writes (ADR 0027): a write that carries a term goes through only while the Lease, as stored at the moment of the
// write, is of that term. The Lease's revision is compared in the write's own transaction, so nothing can come in between.

import type { Lease } from '@homeostat/api/types/coordination-v1';
import { ApiError } from '@homeostat/base';
import {
  type ApiRequest,
  type LeaderTerm,
  leaderTermEnded,
  leaderTermHeader,
  parseLeaderTerm,
} from '@homeostat/client';
import { newBadRequest, newConflict, newTimeout } from '@homeostat/machinery';
import type { Compare, Operation, Store, TxnResult } from '@homeostat/storage';
import type { StoredResource } from './stored-resource.ts';

interface Transaction {
  readonly compare: readonly Compare[];
  readonly operations: readonly Operation[];
}

/** The guard of a request that carries a term. @throws ApiError 400 when it can't be read */
export function termGuardOf(request: ApiRequest, leases: StoredResource | undefined): TermGuard | undefined {
  const value = request.headers[leaderTermHeader];
  if (value === undefined) return undefined;
  const term = parseLeaderTerm(value);
  if (term === undefined || leases === undefined) throw newBadRequest(`the header ${leaderTermHeader} is not valid`);
  return new TermGuard(leases, term);
}

/** Runs a transaction, under the guard where there is one. @throws ApiError 409 when the term is over */
export function commit(store: Store, term: TermGuard | undefined, transaction: Transaction): Promise<TxnResult> {
  return term === undefined ? store.txn(transaction) : term.commit(store, transaction);
}

// A Lease is renewed every few seconds: a write that meets this many renewals is a defect.
const attemptsMax = 100;

/** Lets writes through while one term lasts. */
export class TermGuard {
  readonly #leases: StoredResource;
  readonly #term: LeaderTerm;

  constructor(leases: StoredResource, term: LeaderTerm) {
    this.#leases = leases;
    this.#term = term;
  }

  /** @throws ApiError 409 when the term is over */
  async check(): Promise<void> {
    await this.#leaseRevision();
  }

  async commit(store: Store, { compare, operations }: Transaction): Promise<TxnResult> {
    const { namespace, name } = this.#term;
    const key = this.#leases.key(namespace, name);
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const modRevision = await this.#leaseRevision();
      const result = await store.txn({ compare: [...compare, { key, modRevision }], operations });
      if (result.succeeded) return result;
      const current = result.current.slice(0, compare.length);
      // What was to be written has changed: that is the caller's to look at, and then the Lease is looked at anew.
      const stale = compare.some((wanted, index) => (current[index]?.modRevision ?? 0) !== wanted.modRevision);
      if (stale) return { ...result, current };
    }
    throw newTimeout('the Lease of the write changes too fast');
  }

  /** The revision at which the Lease is of this term. */
  async #leaseRevision(): Promise<number> {
    const { namespace, name, uid, holder, transitions } = this.#term;
    const lease = await this.#leases.current(namespace, name);
    if (lease === undefined) throw this.#ended();
    const { metadata, spec } = lease.stored as Lease;
    const same =
      metadata?.uid === uid && spec?.holderIdentity === holder && (spec.leaseTransitions ?? 0) === transitions;
    if (!same) throw this.#ended();
    return lease.revision;
  }

  /** Says nothing of the present holder: the writer may lack the right to read the Lease. */
  #ended(): ApiError {
    const { namespace, name, holder, transitions } = this.#term;
    const text = `the write was made in term ${transitions} of ${JSON.stringify(holder)} on lease ${namespace}/${name}, which is over`;
    const conflict = newConflict(this.#leases.groupResource, name, text);
    return new ApiError({
      code: conflict.code,
      reason: conflict.reason,
      message: conflict.message,
      details: { ...conflict.details, causes: [{ reason: leaderTermEnded, message: text }] },
    });
  }
}
