// Runs admission plugins in order: all mutating ones, later all validating ones (spec/apiserver.md §15.1).

import type { Env } from '@homeostat/base';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './admission.ts';
import { AdmissionMetrics } from './admission-metrics.ts';

export class AdmissionChain {
  readonly #mutating: ReadonlyMap<AdmissionOperation, readonly AdmissionPlugin[]>;
  readonly #validating: ReadonlyMap<AdmissionOperation, readonly AdmissionPlugin[]>;
  readonly #metrics: AdmissionMetrics;

  constructor(plugins: readonly AdmissionPlugin[], env: Pick<Env, 'clock' | 'metrics'>) {
    this.#metrics = new AdmissionMetrics(env);
    this.#mutating = byOperation(plugins.filter((plugin) => plugin.admit !== undefined));
    this.#validating = byOperation(plugins.filter((plugin) => plugin.validate !== undefined));
  }

  mutates(operation: AdmissionOperation): boolean {
    return (this.#mutating.get(operation) ?? []).length > 0;
  }

  validates(operation: AdmissionOperation): boolean {
    return (this.#validating.get(operation) ?? []).length > 0;
  }

  /** The mutating pass; a second time when a plugin asks for it. */
  async admit(attributes: AdmissionAttributes): Promise<void> {
    const { operation, reinvocation } = attributes;
    const plugins = this.#mutating.get(operation) ?? [];
    await this.#metrics.step('admit', operation, async () => {
      do {
        for (const plugin of plugins) {
          const labels = { name: plugin.name, type: 'admit', operation };
          await this.#metrics.plugin(labels, () => plugin.admit?.(attributes));
        }
      } while (reinvocation.begin());
    });
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { operation } = attributes;
    await this.#metrics.step('validate', operation, async () => {
      for (const plugin of this.#validating.get(operation) ?? []) {
        const labels = { name: plugin.name, type: 'validate', operation };
        await this.#metrics.plugin(labels, () => plugin.validate?.(attributes));
      }
    });
  }
}

const operations: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

function byOperation(plugins: readonly AdmissionPlugin[]): ReadonlyMap<AdmissionOperation, readonly AdmissionPlugin[]> {
  return new Map(operations.map((operation) => [operation, plugins.filter((plugin) => plugin.handles(operation))]));
}
