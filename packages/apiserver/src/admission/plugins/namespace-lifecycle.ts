// NamespaceLifecycle: nothing is made in a namespace that is missing or on its way out, and the namespaces the system lives
// in stay (spec/apiserver.md §9.5, §15.2).

import { ApiError } from '@homeostat/base';
import type { Namespace } from '@homeostat/api/types/core-v1';
import { newForbidden, newNotFound } from '@homeostat/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { newAdmissionForbidden } from '../admission-forbidden.ts';
import { type AdmissionHost, resourceText } from '../admission-host.ts';

const immortal = new Set(['default', 'kube-system', 'kube-public']);

/** How long a namespace deleted here is read anew instead of believing the cache. */
const suspicionMs = 30_000;
const suspectsMax = 1_000;

export class NamespaceLifecycle implements AdmissionPlugin {
  readonly name = 'NamespaceLifecycle';
  readonly #host: AdmissionHost;
  /** Namespaces deleted a moment ago, and when. */
  readonly #suspects = new Map<string, number>();

  constructor(host: AdmissionHost) {
    this.#host = host;
  }

  handles(operation: AdmissionAttributes['operation']): boolean {
    return operation !== 'CONNECT';
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    const { operation, kind, namespace, name, resource } = attributes;
    if (kind.group === '' && kind.kind === 'Namespace') {
      if (operation !== 'DELETE') return;
      if (immortal.has(name)) throw newForbidden(resource, name, 'this namespace may not be deleted');
      if (!attributes.dryRun) this.#suspect(name);
      return;
    }
    if (namespace === '' || operation === 'DELETE') return;
    // Telling whether the namespace exists would leak it to who may only ask about access.
    if (resourceText(resource) === 'localsubjectaccessreviews.authorization.k8s.io') return;
    const found = await this.#find(namespace, attributes.signal);
    if (found === undefined) throw newNotFound({ group: '', resource: 'namespaces' }, namespace);
    if (operation === 'CREATE' && found.status?.phase === 'Terminating') throw terminating(attributes);
  }

  async #find(name: string, signal: AbortSignal): Promise<Namespace | undefined> {
    const reader = this.#host.reader({ group: '', resource: 'namespaces' });
    const cached = reader.get('', name) as Namespace | undefined;
    if (cached !== undefined && !this.#isSuspect(name)) return cached;
    return (await reader.getFresh('', name, signal)) as Namespace | undefined;
  }

  #suspect(name: string): void {
    this.#suspects.delete(name);
    this.#suspects.set(name, this.#host.env.clock.monotonicMs());
    if (this.#suspects.size <= suspectsMax) return;
    const oldest = this.#suspects.keys().next();
    if (!oldest.done) this.#suspects.delete(oldest.value);
  }

  #isSuspect(name: string): boolean {
    const since = this.#suspects.get(name);
    if (since === undefined) return false;
    if (this.#host.env.clock.monotonicMs() - since < suspicionMs) return true;
    this.#suspects.delete(name);
    return false;
  }
}

function terminating(attributes: AdmissionAttributes): ApiError {
  const { namespace } = attributes;
  const text = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const error = newAdmissionForbidden(attributes, text);
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  return new ApiError({
    code: error.code,
    reason: error.reason,
    message: error.message,
    details: { ...error.details, causes: [cause] },
  });
}
