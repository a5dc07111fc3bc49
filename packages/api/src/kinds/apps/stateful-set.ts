// StatefulSet (apps/v1). Most of its spec can't change after creation; its claim templates are checked as claims, and
// count as volumes of the Pod template, where containers mount them.

import type {
  StatefulSet,
  StatefulSetPersistentVolumeClaimRetentionPolicy,
  StatefulSetSpec,
  StatefulSetStatus,
  StatefulSetUpdateStrategy,
} from '@homeostat/api/types/apps-v1';
import type { PodTemplateSpec, Volume } from '@homeostat/api/types/core-v1';
import {
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  isDns1123Label,
  type Mutable,
  required,
} from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { applyClaimDefaults, validateClaimSpec } from '../core/persistent-volume-claim/claim-spec.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../metadata/object-meta.ts';
import { podTemplateOptions } from '../pod-spec/options.ts';
import {
  defaultPodTemplateSpec,
  dropDisabledTemplateFields,
  validatePodTemplateSpec,
} from '../pod-spec/pod-template.ts';
import { type GoField, toGoForm } from '../rules/go-form.ts';
import { validateAtMost100Percent, validateIntOrPercent } from '../rules/int-or-percent.ts';
import { nameIsDnsSubdomain, type NameRule } from '../rules/names.ts';
import { pushInvalid, validateNonnegative, validateSupported } from '../rules/values.ts';
import { semanticEqual } from '../semantic-equal.ts';
import { bumpGenerationOn, fieldSchema, keepField } from '../update-parts.ts';
import { matcherOf, mismatch, validateReplicaRestart, validateRequiredSelector } from './replica-template.ts';
import { validateCollisionCount, validateCounters } from './status-counters.ts';
import { warningsForTemplateOf } from './template-warnings.ts';

const kind = { group: 'apps', version: 'v1', kind: 'StatefulSet' };
const metadataPath = new FieldPath('metadata');
const specPath = new FieldPath('spec');
const changeable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;
const rollingForm: readonly GoField[] = [
  ['Partition', 'partition', 0],
  ['MaxUnavailable', 'maxUnavailable', null],
];
const strategyForm: readonly GoField[] = [
  ['Type', 'type', ''],
  ['RollingUpdate', 'rollingUpdate', null, rollingForm],
];

/** Pods and their host names are made of the name and a number, so dots would make other domains of them. */
const nameRule: NameRule = (name, prefix) => [
  ...nameIsDnsSubdomain(name, prefix),
  ...(name.includes('.') ? ['must not contain dots'] : []),
];

export const statefulSetStrategy: KindStrategy<StatefulSet> = {
  tracksGeneration: true,
  nameRule,
  resetFields: [['status']],
  applyDefaults: applyStatefulSetDefaults,
  prepareForCreate(draft) {
    delete draft.status;
    dropDisabledTemplateFields(draft.spec?.template, undefined);
    dropMaxUnavailable(draft, undefined);
  },
  validateCreate(object) {
    const errors = validateKubeObjectMeta(object.metadata ?? {}, { namespaced: true, name: nameRule }, metadataPath);
    validateStatefulSetSpec(object.spec, undefined, specPath, errors);
    return errors;
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, 'status');
    dropDisabledTemplateFields(draft.spec?.template, old.spec?.template);
    dropMaxUnavailable(draft, old);
    bumpGenerationOn(draft, old, ['spec'], kind);
  },
  validateUpdate(object, old) {
    const errors = validateKubeObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath);
    validateStatefulSetSpec(object.spec, old.spec, specPath, errors);
    validateUnchanged(object.spec, old.spec, specPath, errors);
    return errors;
  },
  warningsOnCreate: (object) => [
    ...warningsForTemplateOf(object.spec?.template, undefined),
    ...warningsOfHistory(object),
  ],
  warningsOnUpdate: (object, old) => [
    ...warningsForTemplateOf(object.spec?.template, old.spec?.template),
    ...warningsOfHistory(object),
  ],
  subresources: {
    status: {
      resetFields: [['spec']],
      prepareForUpdate(draft, old) {
        keepField(draft, old, 'spec');
      },
      validateUpdate(object, old) {
        const errors = validateKubeObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath);
        validateStatefulSetStatus(object.status, old.status, new FieldPath('status'), errors);
        return errors;
      },
    },
  },
};

function applyStatefulSetDefaults(draft: Mutable<StatefulSet>): void {
  const spec = (draft.spec ??= {} as Mutable<StatefulSetSpec>);
  spec.podManagementPolicy ||= 'OrderedReady';
  const strategy = (spec.updateStrategy ??= {});
  if ((strategy.type ?? '') === '') {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate !== undefined) strategy.rollingUpdate.partition ??= 0;
  const policy = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  policy.whenDeleted ||= 'Retain';
  policy.whenScaled ||= 'Retain';
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  defaultPodTemplateSpec((spec.template ??= {}));
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.kind ??= 'PersistentVolumeClaim';
    claim.apiVersion ??= 'v1';
    applyClaimDefaults(claim);
  }
}

/** maxUnavailable is behind a gate that is off in 1.36: it is dropped unless the stored object has it. */
function dropMaxUnavailable(draft: Mutable<StatefulSet>, old: StatefulSet | undefined): void {
  const rolling = draft.spec?.updateStrategy?.rollingUpdate;
  const inUse = old?.spec?.updateStrategy?.rollingUpdate?.maxUnavailable !== undefined;
  if (rolling !== undefined && !inUse) delete rolling.maxUnavailable;
}

function validateStatefulSetSpec(
  spec: StatefulSetSpec | undefined,
  old: StatefulSetSpec | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const policy = spec?.podManagementPolicy ?? '';
  if (policy === '') errors.push(required(path.child('podManagementPolicy')));
  else if (policy !== 'OrderedReady' && policy !== 'Parallel') {
    errors.push(invalid(path.child('podManagementPolicy'), policy, "must be 'OrderedReady' or 'Parallel'"));
  }
  validateUpdateStrategy(spec?.updateStrategy ?? {}, path.child('updateStrategy'), errors);
  validateRetention(
    spec?.persistentVolumeClaimRetentionPolicy,
    path.child('persistentVolumeClaimRetentionPolicy'),
    errors,
  );
  validateNonnegative(spec?.replicas, path.child('replicas'), errors);
  validateNonnegative(spec?.minReadySeconds, path.child('minReadySeconds'), errors);
  validateNonnegative(spec?.ordinals?.start, path.child('ordinals', 'start'), errors);
  validateServiceName(spec?.serviceName ?? '', old?.serviceName, path.child('serviceName'), errors);
  if (old === undefined) {
    for (const [index, claim] of (spec?.volumeClaimTemplates ?? []).entries()) {
      validateClaimSpec(claim.spec ?? {}, path.child('volumeClaimTemplates').index(index).child('spec'), errors);
    }
  }
  validateRequiredSelector(spec?.selector, 'statefulset', path.child('selector'), errors);
  validateTemplate(spec, old, path, errors);
}

function validateTemplate(
  spec: StatefulSetSpec | undefined,
  old: StatefulSetSpec | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const matches = matcherOf(spec?.selector);
  const template = spec?.template;
  const at = path.child('template');
  if (matches === undefined) errors.push(invalid(path.child('selector'), spec?.selector, ''));
  else {
    if (!matches(template?.metadata?.labels)) errors.push(mismatch(template, at));
    validatePodTemplateSpec(withClaims(spec), at, errors, podTemplateOptions(old?.template));
  }
  validateReplicaRestart(template, 'StatefulSet', at, errors);
}

/** The template as Pods get it: with a volume for each claim template. */
function withClaims(spec: StatefulSetSpec | undefined): PodTemplateSpec {
  const template = spec?.template ?? {};
  const claims = (spec?.volumeClaimTemplates ?? []).map((claim): Volume => {
    const name = claim.metadata?.name ?? '';
    return { name, persistentVolumeClaim: { claimName: name } };
  });
  if (claims.length === 0) return template;
  const names = new Set(claims.map((claim) => claim.name));
  const others = (template.spec?.volumes ?? []).filter((volume) => !names.has(volume.name));
  return { ...template, spec: { containers: [], ...template.spec, volumes: [...claims, ...others] } };
}

function validateUpdateStrategy(strategy: StatefulSetUpdateStrategy, path: FieldPath, errors: FieldError[]): void {
  const rolling = strategy.rollingUpdate;
  const at = path.child('rollingUpdate');
  switch (strategy.type ?? '') {
    case '':
      errors.push(required(path));
      return;
    case 'OnDelete':
      if (rolling !== undefined) {
        errors.push(invalid(at, toGoForm(rolling, rollingForm), "only allowed for updateStrategy 'RollingUpdate'"));
      }
      return;
    case 'RollingUpdate':
      validateNonnegative(rolling?.partition, at.child('partition'), errors);
      if (rolling?.maxUnavailable === undefined) return;
      validateIntOrPercent(rolling.maxUnavailable, at.child('maxUnavailable'), errors);
      if (rolling.maxUnavailable === 0 || rolling.maxUnavailable === '0%') {
        errors.push(invalid(at.child('maxUnavailable'), rolling.maxUnavailable, 'cannot be 0'));
      }
      validateAtMost100Percent(rolling.maxUnavailable, at.child('maxUnavailable'), errors);
      return;
    default:
      errors.push(invalid(path, toGoForm(strategy, strategyForm), "must be 'RollingUpdate' or 'OnDelete'"));
  }
}

function validateRetention(
  policy: StatefulSetPersistentVolumeClaimRetentionPolicy | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (policy === undefined) return;
  for (const field of ['whenDeleted', 'whenScaled'] as const) {
    validateSupported(policy[field] ?? '', ['Retain', 'Delete'], path.child(field), errors);
  }
}

function validateServiceName(name: string, old: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (name !== '' && name !== old) pushInvalid(isDns1123Label(name), name, path, errors);
}

function validateUnchanged(
  spec: StatefulSetSpec | undefined,
  old: StatefulSetSpec | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const rest = (source: StatefulSetSpec | undefined): object => {
    const copy: Record<string, unknown> = { ...source };
    for (const field of changeable) delete copy[field];
    return copy;
  };
  if (semanticEqual(rest(spec), rest(old), fieldSchema(kind, 'spec'))) return;
  const names = changeable.map((field) => `'${field}'`);
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  errors.push(forbidden(path, `updates to statefulset spec for fields other than ${list} are forbidden`));
}

function warningsOfHistory(object: StatefulSet): readonly string[] {
  return (object.spec?.revisionHistoryLimit ?? 0) < 0
    ? ['spec.revisionHistoryLimit: a negative value retains all historical revisions']
    : [];
}

function validateStatefulSetStatus(
  status: StatefulSetStatus | undefined,
  old: StatefulSetStatus | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  validateCounters(
    status ?? {},
    [
      'replicas',
      'readyReplicas',
      'currentReplicas',
      'updatedReplicas',
      'availableReplicas',
      'observedGeneration',
      'collisionCount',
    ],
    path,
    errors,
  );
  const {
    replicas = 0,
    readyReplicas = 0,
    currentReplicas = 0,
    updatedReplicas = 0,
    availableReplicas = 0,
  } = status ?? {};
  const parts = { readyReplicas, currentReplicas, updatedReplicas, availableReplicas };
  for (const [name, value] of Object.entries(parts)) {
    if (value > replicas) errors.push(invalid(path.child(name), value, 'cannot be greater than status.replicas'));
  }
  if (availableReplicas > readyReplicas) {
    errors.push(
      invalid(path.child('availableReplicas'), availableReplicas, 'cannot be greater than status.readyReplicas'),
    );
  }
  validateCollisionCount(status?.collisionCount, old?.collisionCount, path.child('collisionCount'), errors);
}
