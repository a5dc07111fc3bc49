// The admission plugins by upstream's names and in upstream's order (spec/apiserver.md §15.1), and how
// `--enable-admission-plugins` and `--disable-admission-plugins` choose among them. Plugins whose effect is not in this
// server are not in the table: enabling one is an error, not a silent nothing; disabling it is fine, it is not there.

import type { AdmissionPlugin } from '../server/admission.ts';
import type { AdmissionHost } from './admission-host.ts';
import {
  CertificateApproval,
  CertificateSigning,
  CertificateSubjectRestriction,
} from './plugins/certificate-signing.ts';
import { DefaultIngressClass, DefaultStorageClass } from './plugins/default-class.ts';
import { DefaultTolerationSeconds } from './plugins/default-toleration-seconds.ts';
import { LimitRanger } from './plugins/limit-ranger.ts';
import { NamespaceLifecycle } from './plugins/namespace-lifecycle.ts';
import { NodeRestriction } from './plugins/node-restriction.ts';
import { PersistentVolumeClaimResize } from './plugins/persistent-volume-claim-resize.ts';
import { PodSecurity } from './plugins/pod-security.ts';
import { PodTopologyLabels } from './plugins/pod-topology-labels.ts';
import { Priority } from './plugins/priority.ts';
import { ResourceQuota } from './plugins/resource-quota.ts';
import { RuntimeClass } from './plugins/runtime-class.ts';
import { ServiceAccount } from './plugins/service-account.ts';
import { StorageObjectInUseProtection } from './plugins/storage-object-in-use-protection.ts';
import { TaintNodesByCondition } from './plugins/taint-nodes-by-condition.ts';
import { loadCelConditions } from './webhook/cel-conditions.ts';
import { MutatingAdmissionPolicyPlugin } from './policy/mutating-policies.ts';
import { ValidatingAdmissionPolicyPlugin } from './policy/validating-policies.ts';
import { MutatingAdmissionWebhook } from './webhook/mutating-webhooks.ts';
import { ValidatingAdmissionWebhook } from './webhook/validating-webhooks.ts';
import type { WebhookPluginOptions } from './webhook/webhook-plugin.ts';
import { noWebhookCaller } from './webhook/webhook-caller.ts';

interface PluginEntry {
  readonly name: string;
  /** Whether it runs without being asked for. */
  readonly byDefault: boolean;
  create(host: AdmissionHost, webhooks: WebhookPluginOptions): AdmissionPlugin;
}

const on = (name: string, create: PluginEntry['create']): PluginEntry => ({ name, byDefault: true, create });
const off = (name: string, create: PluginEntry['create']): PluginEntry => ({ name, byDefault: false, create });

const table: readonly PluginEntry[] = [
  on('NamespaceLifecycle', (host) => new NamespaceLifecycle(host)),
  on('LimitRanger', (host) => new LimitRanger(host)),
  on('ServiceAccount', (host) => new ServiceAccount(host)),
  off('NodeRestriction', (host) => new NodeRestriction(host)),
  on('TaintNodesByCondition', () => new TaintNodesByCondition()),
  on('PodSecurity', (host) => new PodSecurity(host)),
  on('Priority', (host) => new Priority(host)),
  on('DefaultTolerationSeconds', () => new DefaultTolerationSeconds()),
  on('DefaultStorageClass', (host) => new DefaultStorageClass(host)),
  on('StorageObjectInUseProtection', () => new StorageObjectInUseProtection()),
  on('PersistentVolumeClaimResize', (host) => new PersistentVolumeClaimResize(host)),
  on('RuntimeClass', (host) => new RuntimeClass(host)),
  on('CertificateApproval', (host) => new CertificateApproval(host)),
  on('CertificateSigning', (host) => new CertificateSigning(host)),
  on('CertificateSubjectRestriction', () => new CertificateSubjectRestriction()),
  on('DefaultIngressClass', (host) => new DefaultIngressClass(host)),
  on('PodTopologyLabels', (host) => new PodTopologyLabels(host)),
  on('MutatingAdmissionPolicy', (host) => new MutatingAdmissionPolicyPlugin(host)),
  on('MutatingAdmissionWebhook', (host, webhooks) => new MutatingAdmissionWebhook(host, webhooks)),
  on('ValidatingAdmissionPolicy', (host) => new ValidatingAdmissionPolicyPlugin(host)),
  on('ValidatingAdmissionWebhook', (host, webhooks) => new ValidatingAdmissionWebhook(host, webhooks)),
  on('ResourceQuota', (host) => new ResourceQuota(host)),
];

/** Upstream's other plugins. */
const absentPlugins: readonly string[] = [
  'AlwaysAdmit',
  'AlwaysDeny',
  'AlwaysPullImages',
  'ClusterTrustBundleAttest',
  'DenyServiceExternalIPs',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'ImagePolicyWebhook',
  'LimitPodHardAntiAffinityTopology',
  'NamespaceAutoProvision',
  'NamespaceExists',
  'OwnerReferencesPermissionEnforcement',
  'PodNodeSelector',
  'PodTolerationRestriction',
];

/** Names that can be enabled or disabled, in running order. */
export const admissionPluginNames: readonly string[] = table.map(({ name }) => name);

export interface AdmissionSelection {
  /** Run although they do not by default. */
  readonly enable?: readonly string[];
  /** Do not run although they do by default; wins over `enable`. */
  readonly disable?: readonly string[];
}

/** @throws Error naming an unknown plugin and all known ones */
export function checkAdmissionSelection({ enable = [], disable = [] }: AdmissionSelection): void {
  for (const name of [...enable, ...disable]) {
    if (admissionPluginNames.includes(name) || (absentPlugins.includes(name) && !enable.includes(name))) continue;
    throw new Error(`Cannot use admission plugin "${name}": expected one of ${admissionPluginNames.join(', ')}`);
  }
}

/** The chosen plugins in running order. @throws Error as {@link checkAdmissionSelection} */
export function createAdmissionPlugins(
  host: AdmissionHost,
  selection: AdmissionSelection = {},
  webhooks: Partial<WebhookPluginOptions> = {},
): readonly AdmissionPlugin[] {
  checkAdmissionSelection(selection);
  const { enable = [], disable = [] } = selection;
  const options: WebhookPluginOptions = {
    caller: webhooks.caller ?? noWebhookCaller,
    language: webhooks.language ?? loadCelConditions,
  };
  return table
    .filter(({ name, byDefault }) => (byDefault || enable.includes(name)) && !disable.includes(name))
    .map((entry) => entry.create(host, options));
}
