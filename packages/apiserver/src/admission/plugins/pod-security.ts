// PodSecurity: holds Pods to the security level their namespace's labels ask for, and warns of templates that would not
// pass (spec/apiserver.md §15.2). Nobody is exempt: there is no configuration file.

import type { CronJob } from '@homeostat/api/types/batch-v1';
import type { EphemeralContainer, Namespace, Pod, PodTemplate, PodTemplateSpec } from '@homeostat/api/types/core-v1';
import { compareBytewise, type KubeObject, newInvalid } from '@homeostat/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { newAdmissionForbidden } from '../admission-forbidden.ts';
import { type AdmissionHost, isAbout, resourceText } from '../admission-host.ts';
import { detailText, reasonText, violationsOf } from '../pod-security/security-checks.ts';
import {
  compareLevels,
  type LevelVersion,
  levelVersionText,
  podSecurityPrefix,
  policyOfLabels,
  sameLevelVersion,
} from '../pod-security/security-policy.ts';
import type { CheckedPod } from '../pod-security/violation.ts';

/** How many Pods of a namespace are looked at when its level rises. */
const podsLookedAt = 3000;

const uncheckedSubresources: ReadonlySet<string> = new Set([
  'exec',
  'attach',
  'binding',
  'eviction',
  'log',
  'portforward',
  'proxy',
  'status',
]);

export class PodSecurity implements AdmissionPlugin {
  readonly name = 'PodSecurity';
  readonly #host: AdmissionHost;

  constructor(host: AdmissionHost) {
    this.#host = host;
  }

  handles(operation: AdmissionAttributes['operation']): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (isAbout(attributes, 'namespaces')) return this.#checkNamespace(attributes);
    const resource = resourceText(attributes.resource);
    if (resource === 'pods') {
      if (!uncheckedSubresources.has(attributes.subresource) && matters(attributes)) await this.#checkPod(attributes);
    } else if (attributes.subresource === '' && Object.hasOwn(templates, resource)) {
      const template = templates[resource]?.(attributes.object as KubeObject);
      if (template !== undefined) await this.#check(attributes, template, false);
    }
  }

  async #checkPod(attributes: AdmissionAttributes): Promise<void> {
    await this.#check(attributes, attributes.object as Pod, true);
  }

  async #check(
    attributes: AdmissionAttributes,
    { metadata = {}, spec }: Pod | PodTemplateSpec,
    enforced: boolean,
  ): Promise<void> {
    if (spec === undefined) return;
    const namespace = await this.#namespace(attributes);
    const { policy, errors } = policyOfLabels(namespace?.metadata?.labels);
    const pod: CheckedPod = { metadata, spec };
    const annotate = (key: string, value: string): void =>
      attributes.addAnnotation(`${podSecurityPrefix}${key}`, value);
    if (errors.length > 0)
      annotate('error', `Failed to parse policy: ${errors.map(({ field, body }) => `${field}: ${body}`).join(', ')}`);
    const audited = violationsOf(policy.audit, pod);
    if (audited.length > 0) {
      annotate(
        'audit-violations',
        `would violate PodSecurity "${levelVersionText(policy.audit)}": ${detailText(audited)}`,
      );
    }
    if (enforced) {
      const level = levelVersionText(policy.enforce);
      annotate('enforce-policy', level);
      const found = violationsOf(policy.enforce, pod);
      if (found.length > 0) {
        throw newAdmissionForbidden(attributes, `violates PodSecurity "${level}": ${detailText(found)}`);
      }
    }
    const warned = violationsOf(policy.warn, pod);
    if (warned.length === 0) return;
    attributes.addWarning(`would violate PodSecurity "${levelVersionText(policy.warn)}": ${detailText(warned)}`);
  }

  async #namespace({ namespace, signal }: AdmissionAttributes): Promise<Namespace | undefined> {
    const reader = this.#host.reader({ group: '', resource: 'namespaces' });
    const found = reader.get('', namespace) ?? (await reader.getFresh('', namespace, signal));
    return found as Namespace | undefined;
  }

  async #checkNamespace(attributes: AdmissionAttributes): Promise<void> {
    const { policy, errors } = policyOfLabels(attributes.object?.metadata?.labels);
    if (attributes.operation === 'CREATE') {
      if (errors.length > 0) throw newInvalid(attributes.kind, attributes.object?.metadata?.name ?? '', errors);
      return;
    }
    const old = policyOfLabels(attributes.oldObject?.metadata?.labels);
    const texts = (list: typeof errors): string => JSON.stringify(list.map(({ field, body }) => [field, body]));
    if (errors.length > 0 && texts(errors) !== texts(old.errors))
      throw newInvalid(attributes.kind, attributes.name, errors);
    if (!isStricter(policy.enforce, old.policy.enforce)) return;
    for (const warning of await this.#warningsOf(attributes, policy.enforce)) attributes.addWarning(warning);
  }

  async #warningsOf(
    { name: namespace, signal }: AdmissionAttributes,
    enforce: LevelVersion,
  ): Promise<readonly string[]> {
    const all = await this.#host.reader({ group: '', resource: 'pods' }).listFresh(namespace, signal);
    const pods = replicasLast(all as readonly Pod[]);
    const looked = pods.slice(0, podsLookedAt);
    const namesByReason = new Map<string, string[]>();
    for (const { metadata = {}, spec } of looked) {
      if (spec === undefined) continue;
      const reason = reasonText(violationsOf(enforce, { metadata, spec }));
      if (reason === '') continue;
      namesByReason.set(reason, [...(namesByReason.get(reason) ?? []), metadata.name ?? '']);
    }
    const warnings: string[] = [];
    if (looked.length < pods.length) {
      const scope = `the first ${looked.length} of ${pods.length} existing pods`;
      warnings.push(`new PodSecurity enforce level only checked against ${scope}`);
    }
    if (namesByReason.size === 0) return warnings;
    const level = levelVersionText(enforce);
    warnings.push(`existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${level}"`);
    const lines = [...namesByReason].map(([reason, names]) => `${subject(names)}: ${reason}`);
    return [...warnings, ...lines.sort(compareBytewise)];
  }
}

/** `a`, `a (and 1 other pod)`, `a (and 2 other pods)` */
function subject(names: readonly string[]): string {
  const first = names.toSorted(compareBytewise)[0] ?? '';
  const others = names.length - 1;
  if (others === 0) return first;
  return `${first} (and ${others} other ${others === 1 ? 'pod' : 'pods'})`;
}

/** One Pod of each controller first: in a large namespace the rest would say the same. */
function replicasLast(pods: readonly Pod[]): readonly Pod[] {
  const seen = new Set<string>();
  const replicas: Pod[] = [];
  const distinct: Pod[] = [];
  for (const pod of pods) {
    const uid = pod.metadata?.ownerReferences?.find(({ controller }) => controller === true)?.uid;
    (uid !== undefined && seen.has(uid) ? replicas : distinct).push(pod);
    if (uid !== undefined) seen.add(uid);
  }
  return [...distinct, ...replicas];
}

function isStricter(wanted: LevelVersion, old: LevelVersion): boolean {
  if (sameLevelVersion(wanted, old) || wanted.level === 'privileged') return false;
  return wanted.minor !== old.minor || compareLevels(wanted.level, old.level) > 0;
}

/** Of a Pod's fields that checks look at, updates can change the image and add ephemeral containers, nothing else. */
function matters({ operation, object, oldObject }: AdmissionAttributes): boolean {
  if (operation === 'CREATE') return true;
  const { spec } = object as Pod;
  const { spec: old } = oldObject as Pod;
  const changed = (field: 'containers' | 'initContainers'): boolean => {
    const [now, before] = [spec?.[field] ?? [], old?.[field] ?? []];
    return now.length !== before.length || now.some(({ image }, index) => image !== before[index]?.image);
  };
  const imageBefore = ({ name }: EphemeralContainer): string | undefined =>
    old?.ephemeralContainers?.find((each) => each.name === name)?.image;
  return (
    changed('containers') ||
    changed('initContainers') ||
    (spec?.ephemeralContainers ?? []).some((each) => each.image !== imageBefore(each))
  );
}

type TemplateOf = (object: KubeObject) => PodTemplateSpec | undefined;

const inSpec: TemplateOf = (object) =>
  (object as { readonly spec?: { readonly template?: PodTemplateSpec } }).spec?.template;

const templates: Readonly<Record<string, TemplateOf>> = {
  podtemplates: (object) => (object as PodTemplate).template,
  replicationcontrollers: inSpec,
  'replicasets.apps': inSpec,
  'deployments.apps': inSpec,
  'statefulsets.apps': inSpec,
  'daemonsets.apps': inSpec,
  'jobs.batch': inSpec,
  'cronjobs.batch': (object) => (object as CronJob).spec?.jobTemplate?.spec?.template,
};
