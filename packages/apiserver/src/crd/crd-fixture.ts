// Test support: short ways to make CustomResourceDefinitions. Only for tests.

export const definitionsUrl = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export interface DefinitionOptions {
  readonly group?: string;
  readonly plural?: string;
  readonly kind?: string;
  readonly names?: object;
  readonly versions?: readonly object[];
  /** Parts of the only version. */
  readonly version?: object;
  /** `openAPIV3Schema` of the only version's `spec`. */
  readonly spec?: object;
}

/** A namespaced `widgets.example.com` with one version, `v1`, unless said otherwise. */
export function definition(options: DefinitionOptions = {}): object {
  const { group = 'example.com', plural = 'widgets', kind = 'Widget', names = {}, version = {} } = options;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind, ...names },
      versions: options.versions ?? [{ ...versionNamed('v1', options.spec), storage: true, ...version }],
    },
  };
}

/** A served version that is not the storage version. */
export function versionNamed(name: string, spec: object = { properties: { size: { type: 'integer' } } }): object {
  const status = { type: 'object', properties: { phase: { type: 'string' } } };
  return {
    name,
    served: true,
    storage: false,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', ...spec }, status } } },
  };
}

export const widgetsUrl = '/apis/example.com/v1/namespaces/default/widgets';

export function widget(name: string, rest: object = {}): object {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, ...rest };
}
