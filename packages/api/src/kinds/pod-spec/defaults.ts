// Defaults of Pods and Pod specs beyond those the schema states, and what decoding normalises: the deprecated spelling
// of the ServiceAccount, annotations of ancient versions. New defaults go to Pods alone, because a default here changes
// every stored workload. Follows spec/apiserver.md §13.1.

import type { Mutable } from '@homeostat/machinery';
import type { Container, LifecycleHandler, Pod, PodSpec, Probe, Volume } from '@homeostat/api/types/core-v1';
import {
  isPodLevelResource,
  aggregateContainerLimits,
  aggregateContainerRequests,
} from '../../meaning/pod-resources.ts';
import { parseImageName } from '../../meaning/image-name.ts';
import { defaultResourceList, defaultResources } from '../rules/resource-lists.ts';
import { isHugePageResource, isOvercommitAllowed } from '../rules/resource-names.ts';

/** Defaults a Pod: its spec, and what only Pods get. */
export function defaultPod(pod: Mutable<Pod>): void {
  dropInitContainerAnnotations(pod.metadata?.annotations);
  const spec = (pod.spec ??= { containers: [] });
  defaultRequestsToLimits(spec);
  defaultPodLevelResources(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork === true) defaultHostPorts(spec);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  defaultPodSpec(spec);
}

export function defaultPodSpec(spec: Mutable<PodSpec>): void {
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.restartPolicy ||= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= 'default-scheduler';
  mirrorServiceAccount(spec);
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  for (const container of spec.initContainers ?? []) defaultContainer(container);
  for (const container of spec.containers ?? []) defaultContainer(container);
  for (const container of spec.ephemeralContainers ?? []) defaultContainer(container);
  defaultResourceList(spec.overhead);
  defaultResources(spec.resources);
}

/** `serviceAccount` is the former name of `serviceAccountName` and follows it. */
export function mirrorServiceAccount(spec: Mutable<PodSpec>): void {
  spec.serviceAccountName ||= spec.serviceAccount ?? '';
  if (spec.serviceAccountName === '') {
    delete spec.serviceAccountName;
    delete spec.serviceAccount;
  } else spec.serviceAccount = spec.serviceAccountName;
}

function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  return parseImageName(image)?.tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function defaultContainer(container: Mutable<Container>): void {
  container.imagePullPolicy ||= pullPolicyOf(container.image ?? '');
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  container.resources ??= {};
  defaultResources(container.resources);
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef !== undefined) valueFrom.fieldRef.apiVersion ||= 'v1';
  }
  defaultProbe(container.livenessProbe);
  defaultProbe(container.readinessProbe);
  defaultProbe(container.startupProbe);
  defaultHandler(container.lifecycle?.postStart);
  defaultHandler(container.lifecycle?.preStop);
}

function defaultProbe(probe: Mutable<Probe> | undefined): void {
  if (probe === undefined) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  if (probe.grpc !== undefined) probe.grpc.service ??= '';
  defaultHandler(probe);
}

function defaultHandler(handler: Mutable<LifecycleHandler> | undefined): void {
  if (handler?.httpGet === undefined) return;
  handler.httpGet.path ||= '/';
  handler.httpGet.scheme ||= 'HTTP';
}

const fileMode = 0o644;

function defaultVolume(volume: Mutable<Volume>): void {
  if (Object.keys(volume).every((field) => field === 'name')) volume.emptyDir = {};
  const { secret, configMap, downwardAPI, projected, hostPath, image, ephemeral } = volume;
  if (secret !== undefined) secret.defaultMode ??= fileMode;
  if (configMap !== undefined) configMap.defaultMode ??= fileMode;
  if (downwardAPI !== undefined) {
    downwardAPI.defaultMode ??= fileMode;
    defaultFieldRefs(downwardAPI.items);
  }
  if (hostPath !== undefined) hostPath.type ??= '';
  if (image !== undefined) image.pullPolicy ||= pullPolicyOf(image.reference ?? '');
  if (projected !== undefined) {
    projected.defaultMode ??= fileMode;
    for (const source of projected.sources ?? []) {
      if (source.serviceAccountToken !== undefined) source.serviceAccountToken.expirationSeconds ??= 3600;
      defaultFieldRefs(source.downwardAPI?.items);
    }
  }
  const claim = ephemeral?.volumeClaimTemplate;
  if (claim !== undefined) {
    const spec = (claim.spec ??= {});
    spec.volumeMode ??= 'Filesystem';
    defaultResources(spec.resources);
  }
}

function defaultFieldRefs(items: Mutable<{ fieldRef?: { apiVersion?: string } }>[] | undefined): void {
  for (const { fieldRef } of items ?? []) if (fieldRef !== undefined) fieldRef.apiVersion ||= 'v1';
}

/** Not for templates: there the difference between no request and one has to stay visible. */
function defaultRequestsToLimits(spec: Mutable<PodSpec>): void {
  for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    if (resources?.limits === undefined) continue;
    resources.requests = { ...resources.limits, ...resources.requests };
  }
}

/** Where Pod-level amounts are given in part, the rest follows from the containers and the limits. */
function defaultPodLevelResources(spec: Mutable<PodSpec>): void {
  const own = spec.resources;
  if (own === undefined) return;
  const limits = { ...own.limits };
  const requests = { ...own.requests };
  if (Object.keys(limits).length + Object.keys(requests).length > 0) {
    for (const [name, limit] of Object.entries(aggregateContainerLimits({ spec }))) {
      if (isHugePageResource(name) && requests[name] === undefined) limits[name] ??= limit;
    }
    if (Object.keys(limits).length > 0) own.limits = limits;
  }
  if (Object.keys(limits).length === 0) return;
  for (const [name, request] of Object.entries(aggregateContainerRequests({ spec }))) {
    if (isPodLevelResource(name) && isOvercommitAllowed(name)) requests[name] ??= request;
  }
  for (const [name, limit] of Object.entries(limits)) if (isPodLevelResource(name)) requests[name] ??= limit;
  if (Object.keys(requests).length > 0) own.requests = requests;
}

function defaultHostPorts(spec: Mutable<PodSpec>): void {
  for (const { ports } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    for (const port of ports ?? []) port.hostPort ||= port.containerPort;
  }
}

/** Init containers were annotations before 1.8; a kubelet of that time must not find them. */
export function dropInitContainerAnnotations(annotations: Record<string, string> | undefined): void {
  if (annotations === undefined) return;
  for (const version of ['alpha', 'beta']) {
    delete annotations[`pod.${version}.kubernetes.io/init-containers`];
    delete annotations[`pod.${version}.kubernetes.io/init-container-statuses`];
  }
}
