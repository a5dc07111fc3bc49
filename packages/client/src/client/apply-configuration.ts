// What server-side apply is given: any part of an object, since a manager states only the fields it wants.

/**
 * `T` with every field optional, at every depth. List elements are parts too: the server merges them by their keys. Metadata is as it is,
 * since all of it is optional anyway.
 *
 * @example
 * // The selector and the template belong to others; this manager wants three replicas.
 * await client.apply(deployments, { object: { metadata: { name: 'web', namespace: 'x' }, spec: { replicas: 3 } }, fieldManager: 'scaler' });
 */
export type ApplyConfiguration<T> = T extends readonly (infer Element)[]
  ? readonly ApplyConfiguration<Element>[]
  : T extends object
    ? string extends keyof T
      ? { readonly [Key in keyof T]: ApplyConfiguration<T[Key]> } // labels, and maps alike
      : { readonly [Key in keyof T]?: Key extends 'metadata' ? T[Key] : ApplyConfiguration<T[Key]> }
    : T;
