// NodeRestriction's rules about ServiceAccount tokens: a node gets tokens only for Pods that run on it, and only for the
// audiences their volumes ask for (KEP-4412).

import type { PersistentVolume, PersistentVolumeClaim, Pod } from '@homeostat/api/types/core-v1';
import type { TokenRequest } from '@homeostat/api/types/authentication-v1';
import type { CSIDriver } from '@homeostat/api/types/storage-v1';
import { quote } from '@homeostat/machinery';
import { boundUidText } from '../../authentication/service-account/token-request.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import { newAdmissionForbidden } from '../admission-forbidden.ts';
import type { AdmissionHost } from '../admission-host.ts';
import { findPod } from './node-pods.ts';

export async function restrictToken(node: string, attributes: AdmissionAttributes, host: AdmissionHost): Promise<void> {
  if (attributes.operation !== 'CREATE' || attributes.subresource !== 'token') return;
  const refuse = (text: string): never => {
    throw newAdmissionForbidden(attributes, text);
  };
  const { spec } = attributes.object as unknown as TokenRequest;
  const ref = spec?.boundObjectRef;
  if (ref?.apiVersion !== 'v1' || ref.kind !== 'Pod' || !ref.name) {
    return refuse('node requested token not bound to a pod');
  }
  if (!ref.uid) return refuse('node requested token with a pod binding without a uid');
  const pod = await findPod(attributes, host, ref.name);
  if (pod.metadata?.uid !== ref.uid) refuse(boundUidText(ref.uid));
  if (pod.spec?.nodeName !== node) refuse('node requested token bound to a pod scheduled on a different node');
  const audiences = spec?.audiences ?? [];
  if (audiences.length > 1) refuse('node may only request 0 or 1 audiences');
  const audience = audiences[0] ?? '';
  if (asksForAudience(pod, audience, host)) return;
  const answer = await host.authorizer.authorize({
    user: attributes.user,
    verb: 'request-serviceaccounts-token-audience',
    isResourceRequest: true,
    path: '',
    group: '',
    version: 'v1',
    resource: audience,
    subresource: '',
    namespace: attributes.namespace,
    name: attributes.name,
  });
  if (answer.decision === 'allow') return;
  refuse(
    `audience ${quote(audience)} not found in pod spec volume, ` +
      `${attributes.user.username} is not authorized to request tokens for this audience`,
  );
}

/** Whether a volume of the Pod, or the CSI driver behind one, wants tokens for the audience. */
function asksForAudience(pod: Pod, audience: string, host: AdmissionHost): boolean {
  const namespace = pod.metadata?.namespace ?? '';
  for (const volume of pod.spec?.volumes ?? []) {
    for (const { serviceAccountToken } of volume.projected?.sources ?? []) {
      if (serviceAccountToken !== undefined && (serviceAccountToken.audience ?? '') === audience) return true;
    }
    const claim =
      volume.ephemeral === undefined
        ? volume.persistentVolumeClaim?.claimName
        : `${pod.metadata?.name ?? ''}-${volume.name}`;
    const driver = volume.csi?.driver ?? (claim === undefined ? undefined : driverOfClaim(namespace, claim, host));
    if (driver !== undefined && driverAsksFor(driver, audience, host)) return true;
  }
  return false;
}

function driverOfClaim(namespace: string, name: string, host: AdmissionHost): string | undefined {
  const claim = host.reader({ group: '', resource: 'persistentvolumeclaims' }).get(namespace, name) as
    PersistentVolumeClaim | undefined;
  const volumeName = claim?.spec?.volumeName;
  if (volumeName === undefined) return undefined;
  const volume = host.reader({ group: '', resource: 'persistentvolumes' }).get('', volumeName) as
    PersistentVolume | undefined;
  return volume?.spec?.csi?.driver;
}

function driverAsksFor(name: string, audience: string, host: AdmissionHost): boolean {
  const reader = host.reader({ group: 'storage.k8s.io', resource: 'csidrivers' });
  const driver = reader.get('', name) as CSIDriver | undefined;
  return (driver?.spec.tokenRequests ?? []).some((request) => request.audience === audience);
}
