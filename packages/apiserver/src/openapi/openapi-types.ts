// The loose shapes of OpenAPI documents under construction. Documents are built once, encoded and forgotten.

export type JsonObject = Readonly<Record<string, unknown>>;

/** One operation of a path. */
export interface Operation extends JsonObject {
  readonly operationId: string;
}

/** Operations by lower-case method, and `parameters` common to them. */
export type PathItem = Readonly<Record<string, unknown>>;

/** A document of OpenAPI 3.0. */
export interface OpenApiDocument extends JsonObject {
  readonly openapi: '3.0.0';
  readonly info: JsonObject;
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: JsonObject;
}
