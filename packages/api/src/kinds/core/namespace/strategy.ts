// Namespaces: their own finalizer list in the spec, their phase, the label with their name. Follows spec/apiserver.md §9.5.

import { type FieldError, FieldPath, invalid, type KubeObject, type Mutable } from '@homeostat/machinery';
import type { Namespace } from '@homeostat/api/types/core-v1';
import type { KindStrategy } from '../../../strategy.ts';
import {
  validateFinalizerName,
  validateKubeFinalizerName,
  validateKubeObjectMeta,
  validateKubeObjectMetaUpdate,
} from '../../metadata/object-meta.ts';
import { nameIsDnsLabel } from '../../rules/names.ts';
import { keepField } from '../../update-parts.ts';

const metadataPath = new FieldPath('metadata');
const finalizersPath = new FieldPath('spec').child('finalizers');
const nameLabel = 'kubernetes.io/metadata.name';

export const namespaceStrategy: KindStrategy<Namespace> = {
  nameRule: 'label',
  resetFields: [['status']],
  applyDefaults(draft) {
    setNameLabel(draft);
    (draft.status ??= {}).phase ||= 'Active';
  },
  prepareForCreate(draft) {
    draft.status = { phase: 'Active' };
    const finalizers = ((draft.spec ??= {}).finalizers ??= []);
    if (!finalizers.includes('kubernetes')) finalizers.push('kubernetes');
  },
  validateCreate: validateNamespace,
  canonicalize: setNameLabel,
  prepareForUpdate(draft, old) {
    const finalizers = old.spec?.finalizers;
    draft.spec = finalizers === undefined ? {} : { finalizers: [...finalizers] };
    keepField(draft, old, 'status');
  },
  validateUpdate: (namespace, old) => [
    ...validateNamespace(namespace),
    ...validateKubeObjectMetaUpdate(namespace.metadata ?? {}, old.metadata ?? {}, metadataPath),
  ],
  subresources: {
    status: {
      resetFields: [['spec']],
      prepareForUpdate: (draft, old) => keepField(draft, old, 'spec'),
      validateUpdate: validateStatusUpdate,
    },
    finalize: {
      resetFields: [['status']],
      prepareForUpdate: (draft, old) => keepField(draft, old, 'status'),
      validateUpdate(namespace, old) {
        const errors = validateKubeObjectMetaUpdate(namespace.metadata ?? {}, old.metadata ?? {}, metadataPath);
        for (const [index, name] of (namespace.spec?.finalizers ?? []).entries()) {
          validateFinalizer(name, finalizersPath.index(index), errors);
        }
        return errors;
      },
    },
  },
  selectableFields: (namespace) => ({
    'status.phase': namespace.status?.phase ?? '',
    name: namespace.metadata?.name ?? '',
  }),
  fieldLabels: ['status.phase'],
};

function setNameLabel(draft: Mutable<KubeObject>): void {
  const name = draft.metadata?.name ?? '';
  if (draft.metadata !== undefined && name !== '') (draft.metadata.labels ??= {})[nameLabel] = name;
}

function validateNamespace(namespace: Namespace): FieldError[] {
  const errors = validateKubeObjectMeta(
    namespace.metadata ?? {},
    { namespaced: false, name: nameIsDnsLabel },
    metadataPath,
  );
  for (const name of namespace.spec?.finalizers ?? []) validateFinalizer(name, finalizersPath, errors);
  return errors;
}

function validateFinalizer(name: string, path: FieldPath, errors: FieldError[]): void {
  validateFinalizerName(name, path, errors);
  validateKubeFinalizerName(name, path, errors);
}

function validateStatusUpdate(namespace: Namespace, old: Namespace): FieldError[] {
  const errors = validateKubeObjectMetaUpdate(namespace.metadata ?? {}, old.metadata ?? {}, metadataPath);
  const phase: string = namespace.status?.phase ?? '';
  const deleting = namespace.metadata?.deletionTimestamp !== undefined;
  const wanted = deleting ? 'Terminating' : 'Active';
  if (phase !== wanted) {
    const text = `may only be '${wanted}' if \`deletionTimestamp\` is ${deleting ? 'not empty' : 'empty'}`;
    errors.push(invalid(new FieldPath('status').child('Phase'), phase, text));
  }
  return errors;
}
