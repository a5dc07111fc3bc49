// ResourceQuota: refuses what would take more than the namespace's quotas allow, and charges what does not
// (spec/apiserver.md §15.2). Last of all plugins: what another one refuses shall not be charged. What is given back by
// deletions, the quota controller finds out.

import type { ResourceQuota as Quota } from '@homeostat/api/types/core-v1';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { ownRequest } from '../../registry/bootstrap/own-request.ts';
import type { AdmissionHost } from '../admission-host.ts';
import { chargingEvaluator } from '../quota/quota-check.ts';
import { QuotaLedger } from '../quota/quota-ledger.ts';

export class ResourceQuota implements AdmissionPlugin {
  readonly name = 'ResourceQuota';
  readonly #host: AdmissionHost;
  readonly #ledger: QuotaLedger;
  readonly #never = new AbortController().signal;

  constructor(host: AdmissionHost) {
    this.#host = host;
    this.#ledger = new QuotaLedger({
      list: (namespace) => this.#quotas(namespace, this.#never),
      writeStatus: (quota) => this.#writeStatus(quota),
      nowMs: () => host.env.clock.nowMs(),
    });
  }

  handles(operation: AdmissionAttributes['operation']): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { namespace, kind, signal } = attributes;
    if (namespace === '' || (kind.group === '' && kind.kind === 'Namespace')) return;
    if (chargingEvaluator(attributes) === undefined) return;
    if ((await this.#quotas(namespace, signal)).length > 0) await this.#ledger.charge(attributes);
  }

  async #quotas(namespace: string, signal: AbortSignal): Promise<readonly Quota[]> {
    return this.#host.reader({ group: '', resource: 'resourcequotas' }).listFresh(namespace, signal);
  }

  // Not with the request's signal: others in the batch wait for the same write.
  async #writeStatus(quota: Quota): Promise<void> {
    const { namespace = '', name = '' } = quota.metadata ?? {};
    await ownRequest(this.#host.handle, this.#never, {
      method: 'PUT',
      path: `/api/v1/namespaces/${namespace}/resourcequotas/${name}/status`,
      object: { ...quota, apiVersion: 'v1', kind: 'ResourceQuota' },
    });
  }
}
