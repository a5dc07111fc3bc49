// Runs admission plugins in order: all mutating ones, later all validating ones (spec/apiserver.md §15.1).

import type { Env } from '@homeostat/base';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './admission.ts';
import { AdmissionMetrics, type AdmissionStep } from './admission-metrics.ts';

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
    const { reinvocation } = attributes;
    await this.#pass('admit', attributes, async (plugins) => {
      do await this.#run('admit', plugins, attributes);
      while (reinvocation.begin());
    });
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    await this.#pass('validate', attributes, (plugins) => this.#run('validate', plugins, attributes));
  }

  async #pass(
    type: AdmissionStep,
    { operation }: AdmissionAttributes,
    run: (plugins: readonly AdmissionPlugin[]) => Promise<void>,
  ): Promise<void> {
    const plugins = (type === 'admit' ? this.#mutating : this.#validating).get(operation) ?? [];
    const startedMs = this.#metrics.now();
    let rejected = true;
    try {
      await run(plugins);
      rejected = false;
    } finally {
      this.#metrics.step(type, operation, startedMs, rejected);
    }
  }

  /** One after the other. Most answer at once: they are not waited for, which would cost each a turn. */
  async #run(type: AdmissionStep, plugins: readonly AdmissionPlugin[], attributes: AdmissionAttributes): Promise<void> {
    const { operation } = attributes;
    let startedMs = this.#metrics.now();
    for (const plugin of plugins) {
      let rejected = true;
      try {
        const pending = type === 'admit' ? plugin.admit?.(attributes) : plugin.validate?.(attributes);
        if (pending !== undefined) await pending;
        rejected = false;
      } finally {
        startedMs = this.#metrics.plugin(plugin.name, type, { operation, startedMs, rejected });
      }
    }
  }
}

const operations: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

function byOperation(plugins: readonly AdmissionPlugin[]): ReadonlyMap<AdmissionOperation, readonly AdmissionPlugin[]> {
  return new Map(operations.map((operation) => [operation, plugins.filter((plugin) => plugin.handles(operation))]));
}
