// The rules of a custom resource's endpoints, from its definition: what each endpoint keeps, when the generation rises, what is
// validated, what selectors and tables see (spec/apiserver.md §4.3, §14.4).

import {
  type KindStrategy,
  nameIsDnsSubdomain,
  type UpdateStrategy,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@homeostat/api';
import type { CustomResourceDefinitionVersion } from '@homeostat/api/types/apiextensions-v1';
import { FieldPath, type KubeObject, type Mutable } from '@homeostat/machinery';
import { sameJson } from '../registry/same-object.ts';
import { customTable } from './custom-columns.ts';
import { type CustomRules, validateCustomObject, validateCustomStatus } from './custom-validation.ts';
import { type ScalePaths, scalePaths } from './scale-paths.ts';
import { type SelectableFields, selectableFieldsOf } from './selectable-fields.ts';
import type { VersionSchema } from './version-schema.ts';

const metadataPath = new FieldPath('metadata');

export interface CustomStrategyOptions {
  readonly version: CustomResourceDefinitionVersion;
  readonly namespaced: boolean;
  readonly schema: VersionSchema;
}

export function customStrategy({ version, namespaced, schema }: CustomStrategyOptions): KindStrategy {
  const { structural } = schema;
  const hasStatus = version.subresources?.status !== undefined;
  const scale = version.subresources?.scale;
  const paths: ScalePaths | undefined = scale === undefined ? undefined : scalePaths(scale);
  const fields: SelectableFields = selectableFieldsOf(version.selectableFields ?? []);
  const rules: CustomRules = { schema: structural, scale: paths };
  const status: UpdateStrategy = {
    resetFields: [['metadata'], ['spec']],
    prepareForUpdate: keepAllButStatus,
    validateUpdate: (object, old, context) => [
      ...validateObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath),
      ...validateCustomStatus(object, old, rules, context),
    ],
  };
  return {
    nameRule: 'subdomain',
    tracksGeneration: true,
    allowUnconditionalUpdate: false,
    ...(hasStatus ? { resetFields: [['status']], subresources: { status } } : {}),
    prepareForCreate(draft) {
      if (hasStatus) delete (draft as Record<string, unknown>)['status'];
    },
    needsCel: () => structural.has.rules,
    validateCreate: (object, context) => [
      ...validateObjectMeta(object.metadata ?? {}, { namespaced, name: nameIsDnsSubdomain }, metadataPath),
      ...validateCustomObject(object, undefined, rules, context),
    ],
    prepareForUpdate(draft, old) {
      if (hasStatus) putBack(draft, old, 'status');
      if (draft.metadata !== undefined && !sameContent(draft, old)) {
        draft.metadata.generation = (old.metadata?.generation ?? 0) + 1;
      }
    },
    validateUpdate: (object, old, context) => [
      ...validateObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath),
      ...validateCustomObject(object, old, rules, context),
    ],
    fieldLabels: fields.labels,
    selectableFields: (object) => fields.values(schema.restore(object)),
    table: customTable(version.additionalPrinterColumns ?? []),
  };
}

/** Status writes change nothing else; who owns which field is theirs to record. */
function keepAllButStatus(draft: Mutable<KubeObject>, old: KubeObject): void {
  const target = draft as Record<string, unknown>;
  const { status } = target;
  const managedFields = draft.metadata?.managedFields;
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, old);
  if (status === undefined) delete target['status'];
  else target['status'] = status;
  const { managedFields: _replaced, ...metadata } = old.metadata ?? {};
  draft.metadata = { ...metadata } as Mutable<NonNullable<KubeObject['metadata']>>;
  if (managedFields !== undefined) draft.metadata.managedFields = managedFields;
}

function putBack(draft: Mutable<KubeObject>, old: KubeObject, name: string): void {
  const target = draft as Record<string, unknown>;
  const value = (old as Record<string, unknown>)[name];
  if (value === undefined) delete target[name];
  else target[name] = value;
}

/** Whether two objects differ in nothing but their metadata. */
function sameContent(a: KubeObject, b: KubeObject): boolean {
  const { metadata: _a, ...left } = a;
  const { metadata: _b, ...right } = b;
  return sameJson(left, right);
}
