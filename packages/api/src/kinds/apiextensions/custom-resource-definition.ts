// CustomResourceDefinition (apiextensions.k8s.io/v1), as an object: what it may say, and what of it never changes. What
// serving it means, and its conditions, is the business of the API server.

import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
} from '@homeostat/api/types/apiextensions-v1';
import {
  type FieldError,
  FieldPath,
  hasRules,
  invalid,
  type Mutable,
  quote,
  required,
  unrecognizedFormats,
} from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../metadata/object-meta.ts';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { bumpGenerationOn, keepField, keepMetadata, validateImmutable } from '../update-parts.ts';
import { validateNames } from './definition-names.ts';
import { validateDefinitionSpec } from './definition-spec.ts';

const kind = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };
const metadataPath = new FieldPath('metadata');
const specPath = new FieldPath('spec');
const storedPath = new FieldPath('status.storedVersions');
const approvalAnnotation = 'api-approved.kubernetes.io';

export const customResourceDefinitionStrategy: KindStrategy<CustomResourceDefinition> = {
  tracksGeneration: true,
  allowUnconditionalUpdate: false,
  resetFields: [['status']],
  applyDefaults: applyDefinitionDefaults,
  prepareForCreate(draft) {
    draft.status = {} as Mutable<CustomResourceDefinitionStatus>;
    rememberStorageVersion(draft);
  },
  needsCel: ({ spec }) => (spec?.versions ?? []).some(({ schema }) => hasRules(schema?.openAPIV3Schema ?? {})),
  validateCreate(object, { cel }) {
    const errors = validateMetadata(object);
    validateDefinitionSpec(object.spec, specPath, errors, { cel });
    validateRest(object, undefined, errors);
    return errors;
  },
  warningsOnCreate: formatWarnings,
  warningsOnUpdate: formatWarnings,
  prepareForUpdate(draft, old) {
    keepField(draft, old, 'status');
    bumpGenerationOn(draft, old, ['spec'], kind);
    draft.status = structuredClone(draft.status ?? {}) as Mutable<CustomResourceDefinitionStatus>;
    rememberStorageVersion(draft);
  },
  validateUpdate(object, old, { cel }) {
    const errors = validateObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath);
    validateDefinitionSpec(object.spec, specPath, errors, { old: old.spec, cel });
    validateFixed(object.spec, old, errors);
    validateRest(object, old, errors);
    return errors;
  },
  subresources: {
    status: {
      resetFields: [['metadata'], ['spec']],
      prepareForUpdate(draft, old) {
        keepField(draft, old, 'spec');
        keepMetadata(draft, old);
      },
      validateUpdate(object, old) {
        const errors = validateObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath);
        validateNames(object.status?.acceptedNames, new FieldPath('status.acceptedNames'), errors);
        return errors;
      },
    },
  },
};

/** Formats that say nothing to the server: nothing is held to them. */
function formatWarnings({ spec }: CustomResourceDefinition): readonly string[] {
  const formats = (spec?.versions ?? []).flatMap(({ schema }) => unrecognizedFormats(schema?.openAPIV3Schema ?? {}));
  return formats.map((format) => `unrecognized format ${quote(format)}`);
}

function applyDefinitionDefaults(draft: Mutable<CustomResourceDefinition>): void {
  const spec = (draft.spec ??= {} as Mutable<CustomResourceDefinitionSpec>);
  const names = (spec.names ??= {} as Mutable<CustomResourceDefinitionSpec['names']>);
  const kindName = names.kind ?? '';
  if (kindName !== '') {
    names.singular ||= kindName.toLowerCase();
    names.listKind ||= `${kindName}List`;
  }
  spec.conversion ??= { strategy: 'None' };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service !== undefined) service.port ??= 443;
  const storage = spec.versions?.find((version) => version.storage)?.name;
  const status = (draft.status ??= {} as Mutable<CustomResourceDefinitionStatus>);
  if (storage !== undefined && (status.storedVersions ?? []).length === 0) status.storedVersions = [storage];
}

/** Objects may have been stored in any version that ever was the storage version. */
function rememberStorageVersion(draft: Mutable<CustomResourceDefinition>): void {
  const name = draft.spec?.versions?.find((version) => version.storage)?.name;
  const status = draft.status;
  if (name === undefined || status === undefined) return;
  const stored = (status.storedVersions ??= []);
  if (!stored.includes(name)) stored.push(name);
}

function validateMetadata(object: CustomResourceDefinition): FieldError[] {
  const wanted = `${object.spec?.names?.plural ?? ''}.${object.spec?.group ?? ''}`;
  const name = (text: string, prefix: boolean): readonly string[] => [
    ...nameIsDnsSubdomain(text, prefix),
    ...(text === wanted ? [] : ['must be spec.names.plural+"."+spec.group']),
  ];
  return validateObjectMeta(object.metadata ?? {}, { namespaced: false, name }, metadataPath);
}

function validateRest(
  object: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  errors: FieldError[],
): void {
  validateNames(object.status?.acceptedNames, new FieldPath('status.acceptedNames'), errors);
  validateStoredVersions(object, errors);
  validateApproval(object, old, errors);
  if (object.spec?.preserveUnknownFields === true && old?.spec?.preserveUnknownFields !== true) {
    const advice = 'set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    errors.push(invalid(specPath.child('preserveUnknownFields'), true, `cannot set to true, ${advice}`));
  }
}

function validateStoredVersions(object: CustomResourceDefinition, errors: FieldError[]): void {
  const stored = object.status?.storedVersions ?? [];
  if (stored.length === 0) {
    errors.push(invalid(storedPath, object.status?.storedVersions ?? null, 'must have at least one stored version'));
  }
  const remaining = new Map(stored.map((name, index) => [name, index]));
  for (const version of object.spec?.versions ?? []) {
    const isStored = remaining.delete(version.name);
    // A set without the storage version, but only when it says anything.
    if (version.storage && !isStored && stored.length > 0) {
      errors.push(invalid(storedPath, stored, `must have the storage version ${version.name ?? ''}`));
    }
  }
  for (const [name, index] of remaining) {
    const until = `until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    const text = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions ${until}`;
    errors.push(invalid(storedPath.index(index), name, text));
  }
}

/** Groups of the Kubernetes project itself need a word from its reviewers. */
function validateApproval(
  object: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  errors: FieldError[],
): void {
  const group = object.spec?.group ?? '';
  const isProtected = ['k8s.io', 'kubernetes.io'].some((domain) => group === domain || group.endsWith(`.${domain}`));
  if (!isProtected) return;
  const value = object.metadata?.annotations?.[approvalAnnotation] ?? '';
  if (old !== undefined && value === (old.metadata?.annotations?.[approvalAnnotation] ?? '')) return;
  const path = metadataPath.child('annotations').key(approvalAnnotation);
  const where = 'see https://github.com/kubernetes/enhancements/pull/1111';
  if (value === '') {
    errors.push(required(path, `protected groups must have approval annotation "${approvalAnnotation}", ${where}`));
  } else if (!value.startsWith('unapproved') && !/^[a-z][a-z0-9+.-]*:\/\/[^/]+/i.test(value)) {
    const text = `protected groups must have approval annotation "${approvalAnnotation}" with either a URL or a reason starting with "unapproved", ${where}`;
    errors.push(invalid(path, value, text));
  }
}

/** The group and the plural make the name; scope and kind are what clients have built on once it is served. */
function validateFixed(
  spec: CustomResourceDefinitionSpec | undefined,
  old: CustomResourceDefinition,
  errors: FieldError[],
): void {
  const isEstablished = old.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True');
  if (isEstablished === true) {
    validateImmutable(spec?.scope, old.spec?.scope, specPath.child('scope'), errors);
    validateImmutable(spec?.names?.kind, old.spec?.names?.kind, specPath.child('names', 'kind'), errors);
  }
  validateImmutable(spec?.group, old.spec?.group, specPath.child('group'), errors);
  validateImmutable(spec?.names?.plural, old.spec?.names?.plural, specPath.child('names', 'plural'), errors);
}
