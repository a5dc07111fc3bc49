// Runs admission plugins in order: all mutating ones, later all validating ones (spec/apiserver.md §15.1).

import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './admission.ts';

export class AdmissionChain {
  readonly #mutating: ReadonlyMap<AdmissionOperation, readonly AdmissionPlugin[]>;
  readonly #validating: ReadonlyMap<AdmissionOperation, readonly AdmissionPlugin[]>;

  constructor(plugins: readonly AdmissionPlugin[]) {
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
    const plugins = this.#mutating.get(attributes.operation) ?? [];
    do {
      for (const plugin of plugins) await plugin.admit?.(attributes);
    } while (attributes.reinvocation.begin());
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    for (const plugin of this.#validating.get(attributes.operation) ?? []) await plugin.validate?.(attributes);
  }
}

const operations: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

function byOperation(plugins: readonly AdmissionPlugin[]): ReadonlyMap<AdmissionOperation, readonly AdmissionPlugin[]> {
  return new Map(operations.map((operation) => [operation, plugins.filter((plugin) => plugin.handles(operation))]));
}
