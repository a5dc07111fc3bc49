// Create requests that were recorded from a real API server, run through the strategies alone: the field errors must be
// the recorded ones, in their order, and the defaulted object must be what the real server stored, apart from what
// admission and allocation add. Requests that the decoder or admission refused are left out.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  convertObject,
  findResource,
  nameIsPathSegment,
  normalizeClusterIps,
  type ResourceInfo,
  strategyOf,
  validateObjectMeta,
} from '@homeostat/api';
import {
  applySchemaDefaults,
  canonicalize,
  decodeObject,
  FieldPath,
  type Json,
  type KubeObject,
  type Mutable,
  toApiVersion,
  toCause,
} from '@homeostat/machinery';
import type { Pod, Service } from '@homeostat/api/types/core-v1';

interface Step {
  readonly do?: string;
  readonly method?: string;
  readonly path?: string;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  readonly answer?: {
    readonly status?: number;
    readonly body?: KubeObject & { readonly details?: { readonly causes?: readonly Cause[] } };
  };
}

interface Cause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

const folder = new URL('../golden/recordings/', import.meta.url);
const nowMs = 1_700_000_000_000;
const user = { username: 'admin', uid: 'admin-uid', groups: ['system:masters', 'system:authenticated'] };
const requestOptions = new Set(['dryRun', 'fieldManager', 'fieldValidation']);
/** What is checked outside the kinds: expressions, schemas of custom resources, and rules that need other objects. */
const elsewhere =
  /compilation failed|must evaluate to|validation\.openAPIV3Schema|does not refer to a valid field|admin-access/;
/** Kinds that are answered but not stored. */
const reviews = /Review$|^Binding$/;

for (const file of readdirSync(folder).filter((name) => /^(kind|crud)-.*\.json$/.test(name))) {
  const recording = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as { readonly steps: readonly Step[] };
  const creates = recording.steps.flatMap((step, index) => {
    const target = targetOf(step);
    return target === undefined ? [] : [{ step, index, ...target }];
  });
  if (creates.length === 0) continue;
  describe(file, () => {
    for (const { step, index, info, namespace } of creates) {
      it(`step ${index}: ${info.kind} ${step.answer?.status}`, () => check(step, info, namespace));
    }
  });
}

function messageOf(step: Step): string {
  return (step.answer?.body as { readonly message?: string } | undefined)?.message ?? '';
}

function targetOf(step: Step): { readonly info: ResourceInfo; readonly namespace: string } | undefined {
  if ((step.do ?? 'request') !== 'request' || step.method !== 'POST' || step.body === undefined) return undefined;
  const status = step.answer?.status;
  if (status !== 201 && status !== 422) return undefined;
  const path = (step.path ?? '').split('?')[0] ?? '';
  const match = /^\/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)$/.exec(path);
  if (match === null) return undefined;
  const [, group = '', version = '', namespace = '', resource = ''] = match;
  const info = findResource(group, version, resource);
  if (info === undefined || elsewhere.test(messageOf(step)) || reviews.test(info.kind)) return undefined;
  if (status === 201 ? step.answer?.body?.kind !== info.kind : !isAboutBody(step)) return undefined;
  return { info, namespace };
}

function check(step: Step, info: ResourceInfo, namespace: string): void {
  const strategy = strategyOf(info);
  const draft = decodeObject(step.body as Json, info.schema) as Mutable<KubeObject>;
  const metadata = (draft.metadata ??= {});
  if (info.namespaced) metadata.namespace = namespace;
  else delete metadata.namespace;
  for (const field of [
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'selfLink',
    'resourceVersion',
    'managedFields',
  ] as const)
    delete metadata[field];
  admit(draft, info);
  if (metadata.generateName !== undefined && metadata.name === undefined) metadata.name = recordedName(step);
  metadata.uid = recordedUid(step);
  metadata.creationTimestamp = '2023-11-14T22:13:20Z';
  applySchemaDefaults(draft, info.schema);
  strategy.applyDefaults?.(draft as never);
  const isStorage = toApiVersion(info) === toApiVersion(info.storage);
  const stored = isStorage ? draft : (convertObject(draft as KubeObject, info, info.storage) as Mutable<KubeObject>);
  const context = { nowMs, user, requestVersion: toApiVersion(info) };
  if (strategy.tracksGeneration === true) stored.metadata = { ...stored.metadata, generation: 1 };
  if (info.kind === 'Service') beginService(stored as Mutable<Service>, step);
  strategy.prepareForCreate?.(stored as never, context);
  let errors = strategy.validateCreate?.(stored as never, context) ?? [];
  if (errors.length === 0) {
    const rules = { namespaced: info.namespaced, name: nameIsPathSegment };
    errors = validateObjectMeta(stored.metadata ?? {}, rules, new FieldPath('metadata'));
  }
  const recorded = (step.answer?.body?.details?.causes ?? []).map(withoutDiff);
  if (step.answer?.status === 422 && isFromElsewhere(recorded)) return;
  assert.deepEqual(errors.map(toCause).map(withoutDiff), step.answer?.status === 422 ? recorded : []);
  if (step.answer?.status !== 201) return;
  strategy.canonicalize?.(stored as never);
  const shown = isStorage ? stored : convertObject(stored as KubeObject, info.storage, info);
  assert.deepEqual(
    comparable(canonicalize(shown as Json, info.schema, { emptyAsNull: true })),
    comparable(step.answer.body),
  );
}

/** Whether a refusal is one of the sent JSON object, not of its form or of the request's options. */
function isAboutBody(step: Step): boolean {
  if (typeof step.body === 'string') return false;
  const causes = step.answer?.body?.details?.causes ?? [];
  return causes.length > 0 && !causes.some(({ field = '' }) => requestOptions.has(field));
}

/** What the ServiceAccount plugin fills in before validation. */
function admit(draft: Mutable<KubeObject>, info: ResourceInfo): void {
  if (info.kind !== 'Pod') return;
  const { spec } = draft as Mutable<Pod>;
  if (spec !== undefined && (spec.serviceAccountName ?? '') === '' && (spec.serviceAccount ?? '') === '')
    spec.serviceAccountName = 'default';
}

/** What the allocator does before validation, as far as the strategies see it. */
function beginService(service: Mutable<Service>, step: Step): void {
  normalizeClusterIps(service, undefined);
  const port = (step.answer?.body as Service | undefined)?.spec?.healthCheckNodePort;
  if (port !== undefined && service.spec !== undefined) service.spec.healthCheckNodePort = port;
}

/** Errors of the allocator of Service addresses. */
function isFromElsewhere(causes: readonly Cause[]): boolean {
  return causes.some(({ message = '' }) =>
    /configured (on|for)|failed to allocate|provided port|provided IP/.test(message),
  );
}

function withoutDiff(cause: Cause): Cause {
  return { ...cause, message: (cause.message ?? '').replace(/\n@@ -\d[\s\S]*$/, '') };
}

function recordedName(step: Step): string {
  const named = /"([^"]*)" is invalid/.exec((step.answer?.body as { message?: string } | undefined)?.message ?? '');
  return named?.[1] ?? step.answer?.body?.metadata?.name ?? 'generated';
}

function recordedUid(step: Step): string {
  const text = JSON.stringify(step.answer?.body ?? {});
  return (
    step.answer?.body?.metadata?.uid ??
    /controller-uid\\?":\\?"([0-9a-f-]{36})/.exec(text)?.[1] ??
    'b5f5b9f4-0000-4000-8000-000000000000'
  );
}

/** The object without what only the running server adds. */
function comparable(value: unknown): unknown {
  const object = structuredClone(value) as Record<string, never>;
  const draft = object as unknown as Mutable<KubeObject> & Record<string, Record<string, unknown> | undefined>;
  const { metadata, spec, status } = draft;
  for (const field of ['managedFields', 'uid', 'resourceVersion', 'creationTimestamp', 'namespace'] as const) {
    if (metadata !== undefined) delete metadata[field];
  }
  if (metadata?.ownerReferences !== undefined) {
    const seen = new Set<string>();
    metadata.ownerReferences = metadata.ownerReferences.filter(
      (owner) => seen.size < seen.add(JSON.stringify(owner)).size,
    );
  }
  delete draft.kind;
  delete draft.apiVersion;
  if (metadata?.finalizers !== undefined) {
    metadata.finalizers = metadata.finalizers.filter((name) => !/^kubernetes\.io\/(pvc?|vac)-protection$/.test(name));
    if (metadata.finalizers.length === 0) delete metadata.finalizers;
  }
  if (spec !== undefined) {
    for (const field of admitted) delete spec[field];
    if (spec['runtimeClassName'] !== undefined) for (const field of ['overhead', 'nodeSelector']) delete spec[field];
    dropTokenVolume(spec);
    if (Array.isArray(spec['taints']))
      spec['taints'] = spec['taints'].filter(({ key }) => key !== 'node.kubernetes.io/not-ready');
    if (Array.isArray(spec['taints']) && spec['taints'].length === 0) delete spec['taints'];
    if (Array.isArray(spec['ports']))
      for (const port of spec['ports'] as Record<string, unknown>[]) delete port['nodePort'];
  }
  for (const time of JSON.stringify(status ?? {}).matchAll(/"(last[A-Za-z]*Time)":"[^"]*"/g))
    blank(status, time[1] ?? '');
  return draft;
}

/** The volume that the ServiceAccount plugin adds, with its mounts. */
function dropTokenVolume(spec: Record<string, unknown>): void {
  const others = (field: string, items: unknown): void => {
    if (!Array.isArray(items)) return;
    const kept = items.filter((item: { name?: string }) => item.name?.startsWith('kube-api-access-') !== true);
    spec[field] = kept;
    if (kept.length === 0) delete spec[field];
  };
  others('volumes', spec['volumes']);
  for (const field of ['initContainers', 'containers']) {
    for (const container of (spec[field] ?? []) as Record<string, unknown>[]) {
      const mounts = container['volumeMounts'];
      if (!Array.isArray(mounts)) continue;
      container['volumeMounts'] = mounts.filter(({ name = '' }) => !name.startsWith('kube-api-access-'));
      if ((container['volumeMounts'] as unknown[]).length === 0) delete container['volumeMounts'];
    }
  }
}

/** Set by admission plugins and by the allocator. */
const admitted = [
  'tolerations',
  'priority',
  'preemptionPolicy',
  'serviceAccount',
  'serviceAccountName',
  'clusterIP',
  'clusterIPs',
  'ipFamilies',
  'ipFamilyPolicy',
  'healthCheckNodePort',
  'storageClassName',
];

function blank(value: unknown, field: string): void {
  if (typeof value !== 'object' || value === null) return;
  const object = value as Record<string, unknown>;
  for (const [key, item] of Object.entries(object)) {
    if (key === field && typeof item === 'string') object[key] = 'time';
    else blank(item, field);
  }
}
