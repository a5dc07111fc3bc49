// The expressions of admission (match conditions of webhooks): what they may refer to, and what they must give. Loads the
// expression language; import it through `load-expressions.ts`.

import {
  authorizerValue,
  boolType,
  type CelAuthorizer,
  type CelEnvironment,
  type CelProgram,
  type CelType,
  createCelEnvironment,
  dynType,
  intType,
  listType,
  mapType,
  opaqueType,
  resourceCheckValue,
  stringType,
  structType,
  timestampType,
} from '@homeostat/machinery/cel';

/** A compiled condition, or why it is none: upstream's text. */
export type CompiledCondition =
  | { readonly program: CelProgram; readonly problem?: undefined }
  | { readonly program?: undefined; readonly problem: string };

/** Units that all conditions of one webhook may spend on one request. */
export const matchConditionsCostBudget = 2_500_000;

export { authorizerValue, type CelAuthorizer, type CelProgram, resourceCheckValue };

let environment: CelEnvironment | undefined;

/** Never throws. The text of an expression of another type is `must evaluate to bool but got int`. */
export function compileMatchCondition(expression: string): CompiledCondition {
  environment ??= createCelEnvironment({ variables });
  const { program, error } = environment.compile(expression);
  if (program === undefined) return { problem: error };
  if (program.type.kind !== boolType.kind) return { problem: `must evaluate to bool but got ${program.typeName}` };
  return { program };
}

const object = (name: string, fields: Readonly<Record<string, CelType>>): CelType =>
  structType(`kubernetes.${name}`, new Map(Object.entries(fields)));
const texts = mapType(stringType, stringType);

const kind = object('GroupVersionKind', { group: stringType, version: stringType, kind: stringType });
const resource = object('GroupVersionResource', { group: stringType, version: stringType, resource: stringType });

const variables: Readonly<Record<string, CelType>> = {
  object: dynType,
  oldObject: dynType,
  request: object('AdmissionRequest', {
    kind,
    resource,
    subResource: stringType,
    requestKind: kind,
    requestResource: resource,
    requestSubResource: stringType,
    name: stringType,
    namespace: stringType,
    operation: stringType,
    userInfo: object('UserInfo', {
      username: stringType,
      uid: stringType,
      groups: listType(stringType),
      extra: mapType(stringType, listType(stringType)),
    }),
    dryRun: boolType,
    options: dynType,
  }),
  namespaceObject: object('Namespace', {
    metadata: object('NamespaceMetadata', {
      name: stringType,
      generateName: stringType,
      namespace: stringType,
      labels: texts,
      annotations: texts,
      UID: stringType,
      creationTimestamp: timestampType,
      deletionGracePeriodSeconds: intType,
      deletionTimestamp: timestampType,
      generation: intType,
      resourceVersion: stringType,
      finalizers: listType(stringType),
    }),
    spec: object('NamespaceSpec', { finalizers: listType(stringType) }),
    status: object('NamespaceStatus', { phase: stringType }),
  }),
  authorizer: opaqueType('kubernetes.authorization.Authorizer'),
  'authorizer.requestResource': opaqueType('kubernetes.authorization.ResourceCheck'),
};
