// Pod specs and templates as upstream's internal structs print them, in messages about fields that may not change.

import type { PodSpec, PodTemplateSpec } from '@homeostat/api/types/core-v1';
import { structByName } from '../../scheme/scheme.ts';
import { type GoLayouts, type GoPrinter, toGoStruct } from '../rules/go-struct.ts';

const podSpecFields = [
  'volumes',
  'initContainers',
  'containers',
  'ephemeralContainers',
  'restartPolicy',
  'terminationGracePeriodSeconds',
  'activeDeadlineSeconds',
  'dnsPolicy',
  'nodeSelector',
  'serviceAccountName',
  'automountServiceAccountToken',
  'nodeName',
  'securityContext',
  'imagePullSecrets',
  'hostname',
  'subdomain',
  'setHostnameAsFQDN',
  'affinity',
  'schedulerName',
  'tolerations',
  'hostAliases',
  'priorityClassName',
  'priority',
  'preemptionPolicy',
  'dnsConfig',
  'readinessGates',
  'runtimeClassName',
  'overhead',
  'enableServiceLinks',
  'topologySpreadConstraints',
  'os',
  'schedulingGates',
  'resourceClaims',
  'resources',
  'hostnameOverride',
  'schedulingGroup',
];

const hostFields = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'];

const securityContextFields = [
  'seLinuxOptions',
  'windowsOptions',
  'runAsUser',
  'runAsGroup',
  'runAsNonRoot',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'seccompProfile',
  'appArmorProfile',
  'seLinuxChangePolicy',
];

const podSpecName = 'io.k8s.api.core.v1.PodSpec';

const layouts: GoLayouts = {
  'io.k8s.api.core.v1.PodSecurityContext': (_value, print) => printed(securityContextFields, print),
  [podSpecName]: (_value, print) => {
    const form: Record<string, unknown> = printed(podSpecFields, print);
    // What a Pod shares with its node is part of the security context there.
    form['SecurityContext'] = { ...printed(hostFields, print), ...(form['SecurityContext'] as object | null) };
    return form;
  },
};

export function podSpecGoForm(spec: PodSpec | undefined): unknown {
  return toGoStruct(spec ?? {}, structByName(podSpecName), layouts);
}

export function podTemplateGoForm(template: PodTemplateSpec | undefined): unknown {
  return { ...template?.metadata, Spec: podSpecGoForm(template?.spec) };
}

function printed(fields: readonly string[], print: GoPrinter): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => print(field)));
}
