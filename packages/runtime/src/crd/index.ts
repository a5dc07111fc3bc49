// Public names of @homeostat/runtime/crd: custom resources from TypeScript.

import * as schema from './schema.ts';

export { schema };
export { builtin } from './builtin.ts';
export type { CustomChecks } from './custom-checks.ts';
export {
  type CustomResource,
  customResource,
  type CustomResourceOptions,
  type CustomVersion,
  type InputOf,
  type ObjectOf,
  type VersionOptions,
} from './custom-resource.ts';
export {
  DefinitionNotEstablishedError,
  installDefinitions,
  type InstallOptions,
  isEstablished,
} from './install-definitions.ts';
export type { Input, NodeOptions, Output, Presence, SchemaNode } from './schema-node.ts';
