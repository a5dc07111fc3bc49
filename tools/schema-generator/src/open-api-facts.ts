// The facts of the two OpenAPI documents: per definition its properties' formats, defaults, enums, list and map types.
// OpenAPI 3 wins (it states defaults); OpenAPI 2 fills what only it has.

export interface OpenApiSchema {
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-unions'?: readonly {
    readonly discriminator?: string;
    readonly 'fields-to-discriminateBy': Readonly<Record<string, string>>;
  }[];
}

interface OpenApiV2 {
  readonly definitions: Readonly<Record<string, OpenApiSchema>>;
}

type OpenApiV3 = Readonly<
  Record<string, { readonly components?: { readonly schemas?: Readonly<Record<string, OpenApiSchema>> } }>
>;

/** Definition name → schema. */
export function mergeOpenApi(v2: unknown, v3: unknown): ReadonlyMap<string, OpenApiSchema> {
  const schemas = new Map(Object.entries((v2 as OpenApiV2).definitions));
  for (const document of Object.values(v3 as OpenApiV3)) {
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) schemas.set(name, schema);
  }
  return schemas;
}
