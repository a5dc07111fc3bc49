// The strategy of a kind that follows the usual pattern: metadata is validated, the main endpoint owns everything but
// status, the status endpoint owns status, and a changed spec raises the generation where the kind has one
// (spec/apiserver.md §4.1, §4.3, §4.5, §12.2). Kinds say what is particular to them; what they say in `more` wins.

import { type FieldError, FieldPath, type GroupVersionKind, type KubeObject, type Mutable } from '@homeostat/machinery';
import type { KindStrategy, StrategyContext } from '../strategy.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from './metadata/object-meta.ts';
import { nameIsDnsSubdomain, type NameRule } from './rules/names.ts';
import { bumpGenerationOn, keepField } from './update-parts.ts';

export interface StandardRules<T extends KubeObject> {
  readonly kind: GroupVersionKind;
  readonly namespaced: boolean;
  /** Default: DNS subdomain. */
  readonly name?: NameRule;
  /** Root fields whose change raises metadata.generation; absent: the kind tracks no generation. */
  readonly generationFields?: readonly (keyof T & string)[];
  /** Whether the kind has a status, with an endpoint of its own. Default false. */
  readonly status?: boolean;
  /** Fields kept from the old object by the status endpoint. Default `spec`. */
  readonly statusKeeps?: readonly (keyof T & string)[];
  /** Rules for new objects and, with the old one, for updates; after those of metadata. */
  validate?(object: T, errors: FieldError[], old: T | undefined, context: StrategyContext): void;
  /** Further rules for updates, after `validate`. */
  validateUpdate?(object: T, old: T, errors: FieldError[]): void;
  validateStatus?(object: T, old: T, errors: FieldError[]): void;
  prepareForCreate?(draft: Mutable<T>, context: StrategyContext): void;
  prepareForUpdate?(draft: Mutable<T>, old: T, context: StrategyContext): void;
  readonly more?: KindStrategy<T>;
}

const metadataPath = new FieldPath('metadata');

export function standardStrategy<T extends KubeObject>(rules: StandardRules<T>): KindStrategy<T> {
  const name = rules.name ?? nameIsDnsSubdomain;
  const status = 'status' as keyof T & string;
  return {
    nameRule: name,
    tracksGeneration: rules.generationFields !== undefined,
    ...(rules.status === true ? { resetFields: [['status']], subresources: { status: statusStrategy(rules) } } : {}),
    prepareForCreate(draft, context) {
      if (rules.status === true) delete (draft as Record<string, unknown>)['status'];
      rules.prepareForCreate?.(draft, context);
    },
    validateCreate(object, context) {
      const errors = validateKubeObjectMeta(
        object.metadata ?? {},
        { namespaced: rules.namespaced, name },
        metadataPath,
      );
      rules.validate?.(object, errors, undefined, context);
      return errors;
    },
    prepareForUpdate(draft, old, context) {
      if (rules.status === true) keepField(draft, old, status);
      rules.prepareForUpdate?.(draft, old, context);
      if (rules.generationFields !== undefined) bumpGenerationOn(draft, old, rules.generationFields, rules.kind);
    },
    validateUpdate(object, old, context) {
      const errors = validateKubeObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath);
      rules.validate?.(object, errors, old, context);
      rules.validateUpdate?.(object, old, errors);
      return errors;
    },
    ...rules.more,
  };
}

function statusStrategy<T extends KubeObject>(
  rules: StandardRules<T>,
): NonNullable<KindStrategy<T>['subresources']>[string] {
  const keeps = rules.statusKeeps ?? (['spec'] as unknown as readonly (keyof T & string)[]);
  return {
    resetFields: keeps.map((field) => [field]),
    prepareForUpdate(draft, old) {
      for (const field of keeps) keepField(draft, old, field);
    },
    validateUpdate(object, old) {
      const errors = validateKubeObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath);
      rules.validateStatus?.(object, old, errors);
      return errors;
    },
  };
}
