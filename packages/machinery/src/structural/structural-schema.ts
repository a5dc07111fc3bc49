// A CustomResourceDefinition's schema, compiled: what pruning, defaulting, validation, field ownership and rules read of
// it. Made once a version by compileStructural(), immutable, shared by all requests. Keywords keep their OpenAPI names.
// Follows spec/apiserver.md §14.3 and §14.4.

import type { Json } from '../schema/schema.ts';
import type { FormatCheck } from './formats.ts';
import type { Pattern } from './pattern.ts';

/** An entry of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** What occurs at a node or anywhere below it, so that walks can leave out whole branches. */
export interface Occurrences {
  readonly defaults: boolean;
  readonly embeddedResources: boolean;
  /** Lists of type set or map. */
  readonly associativeLists: boolean;
  readonly rules: boolean;
}

export interface StructuralSchema {
  /** `array`, `boolean`, `integer`, `number`, `object`, `string`; empty where an extension stands for it. */
  readonly type: string;
  readonly nullable: boolean;
  /** Undefined when there is none; a default of null is none. */
  readonly default: Json | undefined;
  /** In the order of their names. */
  readonly properties: ReadonlyMap<string, StructuralSchema>;
  readonly items: StructuralSchema | undefined;
  readonly additionalProperties: StructuralSchema | boolean | undefined;

  /** `x-kubernetes-int-or-string` */
  readonly intOrString: boolean;
  /** `x-kubernetes-preserve-unknown-fields` */
  readonly preserveUnknownFields: boolean;
  /** `x-kubernetes-embedded-resource` */
  readonly embeddedResource: boolean;
  /** `x-kubernetes-list-type` */
  readonly listType: 'atomic' | 'set' | 'map' | undefined;
  /** `x-kubernetes-list-map-keys` */
  readonly listMapKeys: readonly string[];
  /** `x-kubernetes-map-type` */
  readonly mapType: 'atomic' | 'granular' | undefined;
  /** `x-kubernetes-validations` */
  readonly validations: readonly ValidationRule[];

  readonly format: string | undefined;
  readonly enum: readonly Json[] | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMaximum: boolean;
  readonly minimum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly multipleOf: number | undefined;
  /** In characters, not bytes. */
  readonly maxLength: number | undefined;
  readonly minLength: number | undefined;
  readonly pattern: Pattern | undefined;
  readonly maxItems: number | undefined;
  readonly minItems: number | undefined;
  readonly maxProperties: number | undefined;
  readonly minProperties: number | undefined;
  readonly required: readonly string[];
  readonly allOf: readonly StructuralSchema[];
  readonly anyOf: readonly StructuralSchema[];
  readonly oneOf: readonly StructuralSchema[];
  readonly not: StructuralSchema | undefined;

  /** The types a value may have: both where `intOrString`, none where `type` is empty. */
  readonly types: readonly string[];
  /** The format that values are held to; undefined for formats that are unknown, or of another type. */
  readonly checkedFormat: FormatCheck | undefined;
  /** Counts what is outside of allOf, anyOf, oneOf and not. */
  readonly has: Occurrences;
}
