// What the audit log keeps of a mutating webhook's call: whether it changed the object, the patch, whether its failure was
// passed over. Keys name the round and the webhook's place.

import { goJson, type Json, type JsonPatchOperation } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { Webhook } from './webhook.ts';

export class MutationAnnotator {
  readonly #attributes: AdmissionAttributes;
  readonly #webhook: Webhook;
  readonly #place: string;

  constructor(attributes: AdmissionAttributes, webhook: Webhook, index: number) {
    this.#attributes = attributes;
    this.#webhook = webhook;
    this.#place = `round_${attributes.reinvocation.round}_index_${index}`;
  }

  done(mutated: boolean): void {
    const { configuration, name } = this.#webhook;
    this.#add('mutation', goJson({ configuration, webhook: name, mutated }));
  }

  patched(operations: readonly JsonPatchOperation[]): void {
    const { configuration, name } = this.#webhook;
    const patch = operations as unknown as Json;
    this.#add('patch', goJson({ configuration, webhook: name, patch, patchType: 'JSONPatch' }));
  }

  failedOpen(): void {
    this.#add('failed-open.mutating', this.#webhook.name);
  }

  #add(what: string, value: string): void {
    this.#attributes.addAnnotation(`${what}.webhook.admission.k8s.io/${this.#place}`, value);
  }
}
