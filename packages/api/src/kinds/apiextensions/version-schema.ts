// The schemas of a CustomResourceDefinition's versions, as `@homeostat/machinery` checks them, with what they need of the
// kinds: the type and the rules of metadata.

import type { CustomResourceDefinitionSpec, JSONSchemaProps } from '@homeostat/api/types/apiextensions-v1';
import {
  type FieldError,
  type FieldPath,
  type ObjectMeta,
  schemaErrors,
  type SchemaErrorsOptions,
  toleratedBy,
  type ToleratedErrors,
} from '@homeostat/machinery';
import { structByName } from '../../scheme/scheme.ts';
import type { Cel } from '../../strategy.ts';
import { validateObjectMeta } from '../metadata/object-meta.ts';
import { nameIsPathSegment } from '../rules/names.ts';
import { hoistSpec } from './hoisted-spec.ts';

/** What holds for all schemas of a definition. */
export interface SchemaRules {
  readonly tolerated: ToleratedErrors;
  /** The schema all versions share, if they do. */
  readonly schema: JSONSchemaProps | undefined;
  /** Checks rules; absent: they are only looked at as texts. */
  readonly cel: Cel | undefined;
}

/** And for one of them. */
export interface PartRules extends SchemaRules {
  readonly hasStatus: boolean;
  /** What upstream's internal form calls the field. */
  readonly schemaField: 'validation' | 'schema';
}

export function schemaRulesOf(
  spec: CustomResourceDefinitionSpec | undefined,
  old: CustomResourceDefinitionSpec | undefined,
  cel: Cel | undefined,
): SchemaRules {
  const found = (old?.versions ?? []).map(({ schema }) => toleratedBy(schema?.openAPIV3Schema));
  // Where unknown fields are pruned, schemas are structural, whatever they were.
  const prunes = spec?.preserveUnknownFields !== true;
  return {
    tolerated: {
      nonStructural: !prunes && found.some(({ nonStructural }) => nonStructural),
      unknownInDefaults: found.some(({ unknownInDefaults }) => unknownInDefaults),
      granularSetItems: found.some(({ granularSetItems }) => granularSetItems),
      absentListKeys: found.some(({ absentListKeys }) => absentListKeys),
    },
    cel,
    schema: hoistSpec(spec).shared.schema?.openAPIV3Schema,
  };
}

export function validateVersionSchema(
  schema: JSONSchemaProps,
  path: FieldPath,
  { cel, tolerated, hasStatus }: PartRules,
  errors: FieldError[],
): void {
  const rules = cel === undefined ? {} : { rules: cel.createRuleChecks() };
  const options = { tolerated, statusSubresource: hasStatus, ...rules, ...metadataOptions() };
  errors.push(...schemaErrors(schema, path, options));
}

/** Metadata of embedded resources is that of an object, wherever it may live. */
export function validateEmbeddedMeta(meta: ObjectMeta, path: FieldPath): readonly FieldError[] {
  return validateObjectMeta(meta, { namespaced: (meta.namespace ?? '') !== '', name: nameIsPathSegment }, path);
}

function metadataOptions(): Pick<SchemaErrorsOptions, 'metadata'> {
  const objectMeta = structByName('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  return objectMeta === undefined ? {} : { metadata: { objectMeta, validateObjectMeta: validateEmbeddedMeta } };
}
