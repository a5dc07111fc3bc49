// V8 turns an object that gets more than about a dozen properties by computed names into a hash table: slower to read,
// three times as slow to stringify, larger. A spread copy has fast properties again and costs next to nothing.

const propertiesMax = 12;

/** The object, or its copy with fast properties when it has many. Use on fresh objects, once all members are set. */
export function compactObject<T extends object>(object: T, size: number): T {
  return size > propertiesMax ? { ...object } : object;
}
