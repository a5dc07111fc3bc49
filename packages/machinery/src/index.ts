// Public names of @homeostat/machinery.

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
export { excludeFields, type FieldFilter, includeFields } from './field-ownership/field-filter.ts';
export { FieldSet, type FieldsV1 } from './field-ownership/field-set.ts';
export type {
  ApplyOptions,
  ApplyResult,
  OwnershipRequest,
  OwnershipTypes,
  TrackUpdateOptions,
} from './field-ownership/ownership-types.ts';
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
