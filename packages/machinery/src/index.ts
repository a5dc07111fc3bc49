// Public names of @homeostat/machinery.

export { applySchemaDefaults } from './codec/apply-schema-defaults.ts';
export { decodeBase64, encodeBase64 } from './codec/base64.ts';
export { canonicalize, type CanonicalizeOptions } from './codec/canonicalize.ts';
export { FieldTypeError } from './field-ownership/item-element.ts';
export { sortedKeys } from './codec/sorted-keys.ts';
export { decodeBody, type DecodeBodyOptions } from './codec/decode-body.ts';
export type { DecodeObjectOptions } from './codec/decode-context.ts';
export { DecodeError } from './codec/decode-error.ts';
export { decodeObject, type Draft } from './codec/decode-object.ts';
export { decodeJson, type DecodeJsonOptions } from './codec/json/decode-json.ts';
export { encodeJson, stringifyJson, stringifyPrettyJson } from './codec/json/encode-json.ts';
export { JsonSegments, type ObjectKind, type SegmentOptions, watchFrame } from './codec/json/json-segments.ts';
export { parseJson } from './codec/json/parse-json.ts';
export { decodeProtobuf } from './codec/protobuf/decode-protobuf.ts';
export { encodeProtobuf } from './codec/protobuf/encode-protobuf.ts';
export { ProtoWriter } from './codec/protobuf/proto-writer.ts';
export { ProtobufSegments, protobufWatchFrame } from './codec/protobuf/protobuf-segments.ts';
export { isEnveloped, type UnknownEnvelope, unwrapUnknown, wrapUnknown } from './codec/protobuf/unknown-envelope.ts';
export { readTypeMeta, type TypeMeta } from './codec/type-meta.ts';
export { encodeYaml } from './codec/yaml/encode-yaml.ts';
export {
  kindOf,
  newAlreadyExists,
  newBadRequest,
  newConflict,
  newExpired,
  newForbidden,
  newInternalError,
  newInvalid,
  newMethodNotSupported,
  newNotFound,
  newTimeout,
  newTooLargeResourceVersion,
  newTooManyRequests,
  newUnauthorized,
  newUnknown,
  optimisticLockText,
} from './errors.ts';
export {
  aggregateFieldErrors,
  duplicate,
  type FieldError,
  type FieldErrorType,
  FieldPath,
  forbidden,
  internalError,
  invalid,
  notFound,
  notSupported,
  quote,
  required,
  toCause,
  tooLong,
  tooMany,
  typeInvalid,
} from './field-error.ts';
export { applyConfiguration } from './field-ownership/apply-configuration.ts';
export { excludeFields, type FieldFilter, includeFields } from './field-ownership/field-filter.ts';
export { FieldSet, type FieldsV1 } from './field-ownership/field-set.ts';
export { mergeConfiguration } from './field-ownership/merge-configuration.ts';
export { keepUnchangedTimes } from './field-ownership/keep-times.ts';
export { lastAppliedAnnotation } from './field-ownership/last-applied.ts';
export { decodeManagedFields, ManagedFieldsError } from './field-ownership/managed-fields.ts';
export { fieldManagerBytesMax, managerOrUserAgent } from './field-ownership/manager-name.ts';
export type {
  ApplyOptions,
  ApplyResult,
  OwnershipRequest,
  OwnershipTypes,
  TrackUpdateOptions,
} from './field-ownership/ownership-types.ts';
export { type ReplicasPaths, toParentManagedFields, toScaleManagedFields } from './field-ownership/scale-ownership.ts';
export { trackUpdate } from './field-ownership/track-update.ts';
export { JsonPath, type JsonPathOptions, relaxedJsonPath } from './jsonpath/json-path.ts';
export { JsonPathError } from './jsonpath/json-path-node.ts';
export {
  type GroupResource,
  type GroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
  parseApiVersion,
  toApiVersion,
  toGroupResource,
} from './meta/group-version.ts';
export type {
  KubeList,
  KubeObject,
  ListMeta,
  ManagedFieldsEntry,
  Mutable,
  ObjectMeta,
  OwnerReference,
  WatchEvent,
} from './meta/object.ts';
export { createJsonPatch } from './patch/create-json-patch.ts';
export { applyJsonPatch, type JsonPatchOptions } from './patch/json-patch.ts';
export {
  decodeJsonPatch,
  jsonKind,
  type JsonPatchOperation,
  jsonPatchOperationsMax,
  unknownJsonPatchMembers,
} from './patch/json-patch-operation.ts';
export { applyMergePatch, createMergePatch } from './patch/merge-patch.ts';
export { PatchError, type PatchErrorKind } from './patch/patch-error.ts';
export { createThreeWayMergePatch, createTwoWayMergePatch, type ThreeWayOptions } from './patch/strategic-diff.ts';
export { applyStrategicMergePatch } from './patch/strategic-merge-patch.ts';
export type {
  FieldSchema,
  Json,
  ListSchema,
  MapSchema,
  Omit,
  ScalarSchema,
  ScalarType,
  Schema,
  StructSchema,
  UnionSchema,
} from './schema/schema.ts';
export {
  escapeFieldValue,
  FieldSelector,
  type FieldTerm,
  parseFieldSelector,
  type SelectableFields,
} from './selectors/field-selector.ts';
export { type LabelOperator, LabelRequirement, type Labels } from './selectors/label-requirement.ts';
export {
  formatLabelSelector,
  LabelSelector,
  labelSelectorAsSelector,
  type LabelSelectorRequirementSpec,
  type LabelSelectorSpec,
  matchesLabels,
  selectorFromSet,
  toLabelSelectorSpec,
} from './selectors/label-selector.ts';
export { parseLabelSelector } from './selectors/parse-label-selector.ts';
export { SelectorError } from './selectors/selector-error.ts';
export { applyDefaults } from './structural/apply-defaults.ts';
export { coerceEmbedded, type CoerceOptions, type CoerceResult } from './structural/coerce-metadata.ts';
export { asResourceRoot, compileStructural } from './structural/compile-structural.ts';
export { formatCheckOf, type FormatCheck } from './structural/formats.ts';
export { validateUniqueness } from './structural/list-uniqueness.ts';
export { compilePattern, type Pattern, PatternError } from './structural/pattern.ts';
export { type PruneOptions, type PruneResult, pruneUnknown } from './structural/prune-unknown.ts';
export {
  FieldPathError,
  resolveFieldPath,
  type ResolvedFieldPath,
  type ResolveFieldPathOptions,
} from './structural/resolve-field-path.ts';
export type { RuleChecks, RuleSite } from './structural/rule-checks.ts';
export {
  hasRules,
  schemaErrors,
  type SchemaErrorsOptions,
  toleratedBy,
  type ToleratedErrors,
  unrecognizedFormats,
} from './structural/schema-errors.ts';
export { structuralErrors } from './structural/structural-errors.ts';
export type { Occurrences, StructuralSchema, ValidationRule } from './structural/structural-schema.ts';
export { toSchema, type ToSchemaOptions } from './structural/to-schema.ts';
export { validateEmbedded, type ValidateObjectMeta } from './structural/validate-embedded.ts';
export {
  rulesNotChecked,
  validateOpenApi,
  validateStructural,
  type ValidateStructuralOptions,
  type ValidateStructuralResult,
} from './structural/validate-structural.ts';
export { cloneJson } from './values/clone-json.ts';
export { deepEqual } from './values/deep-equal.ts';
export {
  canonicalDuration,
  DurationError,
  durationMs,
  formatDuration,
  formatDurationMs,
  parseDuration,
} from './values/duration.ts';
export { goFloat, goPlain, goSyntax, goType } from './values/go-format.ts';
export { compareBytewise, goJson, goJsonString, goQuote } from './values/go-strings.ts';
export { fnv32, fnv32a, safeEncode } from './values/hash.ts';
export { humanDuration, shortHumanDuration } from './values/human-duration.ts';
export {
  atoi,
  type IntOrString,
  IntOrStringError,
  intOrStringValue,
  scaledIntOrPercent,
} from './values/int-or-string.ts';
export {
  isCIdentifier,
  isConfigMapKey,
  isDecimalInteger,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isDns1123SubdomainCaseless,
  isDns1123SubdomainWithUnderscore,
  isEnvVarName,
  isGroupId,
  isHttpHeaderName,
  isInRange,
  isLabelValue,
  isPathSegmentName,
  isPathSegmentPrefix,
  isPercent,
  isPortName,
  isPortNumber,
  isQualifiedName,
  isRelaxedEnvVarName,
  isUserId,
  isWildcardDns1123Subdomain,
  type RuleMessages,
} from './values/names.ts';
export { asList, asMap, getOwn, type JsonMap, setOwn } from './values/json-shapes.ts';
export {
  addQuantities,
  canonicalQuantity,
  compareQuantity,
  isQuantity,
  parseQuantity,
  Quantity,
  QuantityError,
  type QuantityFormat,
  subtractQuantities,
} from './values/quantity.ts';
export { randomSuffix } from './values/random-suffix.ts';
export { maxBytesText, maxCharactersText, patternText, rangeText, utf8Length } from './values/rule-texts.ts';
export { sortJson } from './values/sort-json.ts';
export {
  canonicalMicroTime,
  canonicalTime,
  formatMicroTime,
  formatTime,
  parseMicroTime,
  parseTime,
  TimeError,
} from './values/time.ts';
