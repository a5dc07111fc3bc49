// What expressions of admission (match conditions, policies) may refer to: the names and their types
// (`k8s.io/apiserver/pkg/admission/plugin/cel`).

import type { CelType, Library } from '@homeostat/machinery/cel';
import type { Cel } from '../../strategy.ts';

export interface AdmissionVariablesOptions {
  /** Whether `params` is there: the policy names a kind of parameters. Default false. */
  readonly hasParams?: boolean;
  /** Whether `authorizer` and `authorizer.requestResource` are there. Default true. */
  readonly hasAuthorizer?: boolean;
  /** The policy's own variables, by name. */
  readonly variables?: ReadonlyMap<string, CelType>;
}

/** Types by name; `variables` is there only where the policy has some, or may. */
export function admissionVariables(cel: Cel, options: AdmissionVariablesOptions = {}): ReadonlyMap<string, CelType> {
  const { hasParams = false, hasAuthorizer = true, variables } = options;
  const declared = new Map<string, CelType>([
    ['object', cel.dynType],
    ['oldObject', cel.dynType],
    ['request', requestType(cel)],
    ['namespaceObject', namespaceType(cel)],
  ]);
  if (hasParams) declared.set('params', cel.dynType);
  if (hasAuthorizer) {
    declared.set('authorizer', cel.opaqueType('kubernetes.authorization.Authorizer'));
    declared.set('authorizer.requestResource', cel.opaqueType('kubernetes.authorization.ResourceCheck'));
  }
  if (variables !== undefined) declared.set('variables', cel.structType('kubernetes.variables', variables));
  return declared;
}

function requestType(cel: Cel): CelType {
  const { boolType, dynType, listType, mapType, stringType, structType } = cel;
  const texts = (...names: readonly string[]): [string, CelType][] => names.map((name) => [name, stringType]);
  const kind = structType('kubernetes.GroupVersionKind', new Map(texts('group', 'version', 'kind')));
  const resource = structType('kubernetes.GroupVersionResource', new Map(texts('group', 'version', 'resource')));
  const userInfo = new Map<string, CelType>([
    ...texts('username', 'uid'),
    ['groups', listType(stringType)],
    ['extra', mapType(stringType, listType(stringType))],
  ]);
  return structType(
    'kubernetes.AdmissionRequest',
    new Map<string, CelType>([
      ['kind', kind],
      ['resource', resource],
      ['requestKind', kind],
      ['requestResource', resource],
      ...texts('subResource', 'requestSubResource', 'name', 'namespace', 'operation'),
      ['userInfo', structType('kubernetes.UserInfo', userInfo)],
      ['dryRun', boolType],
      ['options', dynType],
    ]),
  );
}

function namespaceType(cel: Cel): CelType {
  const { intType, listType, mapType, stringType, structType, timestampType } = cel;
  const metadata = new Map<string, CelType>([
    ['name', stringType],
    ['generateName', stringType],
    ['namespace', stringType],
    ['labels', mapType(stringType, stringType)],
    ['annotations', mapType(stringType, stringType)],
    ['UID', stringType],
    ['creationTimestamp', timestampType],
    ['deletionGracePeriodSeconds', intType],
    ['deletionTimestamp', timestampType],
    ['generation', intType],
    ['resourceVersion', stringType],
    ['finalizers', listType(stringType)],
  ]);
  return structType(
    'kubernetes.Namespace',
    new Map<string, CelType>([
      ['metadata', structType('kubernetes.NamespaceMetadata', metadata)],
      ['spec', structType('kubernetes.NamespaceSpec', new Map([['finalizers', listType(stringType)]]))],
      ['status', structType('kubernetes.NamespaceStatus', new Map([['phase', stringType]]))],
    ]),
  );
}

/** What mutations make: `Object{…}` with any fields, `Object.metadata{…}` below it, and `JSONPatch{…}`. */
export function mutationLibrary(cel: Cel): Library {
  const { dynType, stringType, structType } = cel;
  const patch = new Map<string, CelType>([
    ['op', stringType],
    ['path', stringType],
    ['from', stringType],
    ['value', dynType],
  ]);
  const jsonPatch = structType('JSONPatch', patch);
  return {
    overloads: cel.declareFunction('jsonpatch.escapeKey', {
      '(string): string': ([key]) => (key as string).replaceAll('~', '~0').replaceAll('/', '~1'),
    }),
    types: (name) => {
      if (name === 'JSONPatch') return jsonPatch;
      if (name !== 'Object' && !name.startsWith('Object.')) return undefined;
      return { kind: 'struct', name, field: () => dynType };
    },
  };
}
