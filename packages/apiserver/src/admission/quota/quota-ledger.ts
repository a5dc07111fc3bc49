// Charges requests to the quotas of their namespace, one batch at a time per namespace: requests that arrive while a
// batch is being written are charged together by the next one, with one write per quota. A write that loses against
// another writer is decided again from what is stored now.

import { equalLists } from '@homeostat/api';
import type { ResourceQuota } from '@homeostat/api/types/core-v1';
import { ApiError, isApiError } from '@homeostat/base';
import type { AdmissionAttributes } from '../../server/admission.ts';
import { chargeQuotas, chargingEvaluator } from './quota-check.ts';

/** Attempts to write a quota that others write at the same moment. */
const attemptsMax = 4;

export interface QuotaStore {
  /** Quotas of a namespace as of now. @throws ApiError */
  list(namespace: string): Promise<readonly ResourceQuota[]>;
  /** Writes the status; the resourceVersion must still be the stored one. @throws ApiError */
  writeStatus(quota: ResourceQuota): Promise<void>;
  nowMs(): number;
}

interface Waiter {
  readonly attributes: AdmissionAttributes;
  resolve(): void;
  reject(error: unknown): void;
}

export class QuotaLedger {
  readonly #store: QuotaStore;
  /** Requests waiting per namespace; the key is there as long as the namespace is being worked on. */
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(store: QuotaStore) {
    this.#store = store;
  }

  /** Resolves when the quotas have room for the request and, unless it is a dry run, have taken note of it. */
  charge(attributes: AdmissionAttributes): Promise<void> {
    return new Promise((resolve, reject) => {
      const { namespace } = attributes;
      const waiter: Waiter = { attributes, resolve, reject };
      const waiting = this.#waiting.get(namespace);
      if (waiting !== undefined) {
        waiting.push(waiter);
        return;
      }
      this.#waiting.set(namespace, [waiter]);
      void this.#work(namespace);
    });
  }

  async #work(namespace: string): Promise<void> {
    for (;;) {
      const batch = this.#waiting.get(namespace) ?? [];
      if (batch.length === 0) break;
      this.#waiting.set(namespace, []);
      try {
        await this.#chargeBatch(namespace, batch);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#waiting.delete(namespace);
  }

  /** Decides every waiter. */
  async #chargeBatch(namespace: string, batch: readonly Waiter[]): Promise<void> {
    let undecided = batch;
    // After the first attempt only the quotas whose write was lost are looked at: the others have taken note.
    let only: ReadonlySet<string> | undefined;
    for (let attempt = 1; undecided.length > 0; attempt++) {
      const all = await this.#store.list(namespace);
      const before = all.filter(({ metadata }) => only?.has(metadata?.name ?? '') ?? true);
      const { after, charged } = chargeAll(before, undecided, this.#store.nowMs());
      const { lost, error } = await this.#write(before, after);
      if (lost.size === 0) {
        for (const { resolve } of charged) resolve();
        return;
      }
      if (attempt === attemptsMax || !isApiError(error, 'Conflict')) throw error;
      undecided = charged;
      only = lost;
    }
  }

  async #write(
    before: readonly ResourceQuota[],
    after: readonly ResourceQuota[],
  ): Promise<{ readonly lost: ReadonlySet<string>; readonly error: unknown }> {
    const lost = new Set<string>();
    let failure: unknown;
    for (const [index, quota] of after.entries()) {
      if (isSameUsage(before[index], quota)) continue;
      try {
        await this.#store.writeStatus(quota);
      } catch (error) {
        // A quota that is gone limits nobody.
        if (error instanceof ApiError && isApiError(error, 'NotFound')) continue;
        lost.add(quota.metadata?.name ?? '');
        failure = error;
      }
    }
    return { lost, error: failure };
  }
}

/** Charges one after the other; refused and unaffected requests are decided here, the rest waits for the write. */
function chargeAll(
  quotas: readonly ResourceQuota[],
  waiters: readonly Waiter[],
  nowMs: number,
): { readonly after: readonly ResourceQuota[]; readonly charged: readonly Waiter[] } {
  let after = quotas;
  const charged: Waiter[] = [];
  for (const waiter of waiters) {
    const { attributes, resolve, reject } = waiter;
    try {
      const evaluator = chargingEvaluator(attributes);
      const next = evaluator === undefined ? after : chargeQuotas(after, attributes, evaluator, nowMs);
      if (attributes.dryRun || next.every((quota, index) => isSameUsage(quota, after[index]))) {
        resolve();
        continue;
      }
      after = next;
      charged.push(waiter);
    } catch (error) {
      reject(error);
    }
  }
  return { after, charged };
}

function isSameUsage(a: ResourceQuota | undefined, b: ResourceQuota | undefined): boolean {
  return a === b || equalLists(a?.status?.used ?? {}, b?.status?.used ?? {});
}
