// DefaultStorageClass and DefaultIngressClass: objects without a class get the one marked as default, the newest when
// several are (spec/apiserver.md §15.2).

import type { PersistentVolumeClaim } from '@homeostat/api/types/core-v1';
import type { Ingress } from '@homeostat/api/types/networking-v1';
import type { KubeObject, Mutable } from '@homeostat/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { type AdmissionHost, isAbout } from '../admission-host.ts';

const betaStorageClass = 'volume.beta.kubernetes.io/storage-class';

export class DefaultStorageClass implements AdmissionPlugin {
  readonly name = 'DefaultStorageClass';
  readonly #host: AdmissionHost;

  constructor(host: AdmissionHost) {
    this.#host = host;
  }

  handles(operation: AdmissionAttributes['operation']): boolean {
    return operation === 'CREATE';
  }

  admit(attributes: AdmissionAttributes): void {
    if (!isAbout(attributes, 'persistentvolumeclaims')) return;
    const claim = attributes.object as Mutable<PersistentVolumeClaim>;
    // The empty name is a choice: no class at all.
    if (claim.spec === undefined || claim.spec.storageClassName !== undefined) return;
    if (claim.metadata?.annotations?.[betaStorageClass] !== undefined) return;
    const classes = this.#host.reader({ group: 'storage.k8s.io', resource: 'storageclasses' }).list();
    const byDefault = newestDefault(classes, [
      'storageclass.kubernetes.io/is-default-class',
      'storageclass.beta.kubernetes.io/is-default-class',
    ]);
    if (byDefault !== undefined) claim.spec.storageClassName = byDefault;
  }
}

export class DefaultIngressClass implements AdmissionPlugin {
  readonly name = 'DefaultIngressClass';
  readonly #host: AdmissionHost;

  constructor(host: AdmissionHost) {
    this.#host = host;
  }

  handles(operation: AdmissionAttributes['operation']): boolean {
    return operation === 'CREATE';
  }

  admit(attributes: AdmissionAttributes): void {
    if (!isAbout(attributes, 'ingresses.networking.k8s.io')) return;
    const ingress = attributes.object as Mutable<Ingress>;
    if (ingress.spec?.ingressClassName !== undefined) return;
    if (ingress.metadata?.annotations?.['kubernetes.io/ingress.class'] !== undefined) return;
    const classes = this.#host.reader({ group: 'networking.k8s.io', resource: 'ingressclasses' }).list();
    const byDefault = newestDefault(classes, ['ingressclass.kubernetes.io/is-default-class']);
    if (byDefault !== undefined) ingress.spec = { ...ingress.spec, ingressClassName: byDefault };
  }
}

/** Name of the newest object that one of `annotations` marks as default; of equally old ones the first by name. */
function newestDefault(classes: readonly KubeObject[], annotations: readonly string[]): string | undefined {
  const defaults = classes.filter((each) => annotations.some((key) => each.metadata?.annotations?.[key] === 'true'));
  const keyOf = (each: KubeObject): string => each.metadata?.creationTimestamp ?? '';
  const [newest] = defaults.toSorted((a, b) => {
    if (keyOf(a) !== keyOf(b)) return keyOf(a) < keyOf(b) ? 1 : -1;
    return (a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1;
  });
  return newest?.metadata?.name;
}
