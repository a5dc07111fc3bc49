// Telling JSON maps and lists apart, and building them safely.

import type { Json } from '../schema/schema.ts';

export type JsonMap = { readonly [key: string]: Json };

/** The map a value is; undefined for null and other shapes. */
export function asMap(value: Json | undefined): JsonMap | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonMap) : undefined;
}

/** The list a value is; undefined for null and other shapes. */
export function asList(value: Json | undefined): readonly Json[] | undefined {
  return Array.isArray(value) ? (value as readonly Json[]) : undefined;
}

/** Assigns a key that may be `__proto__`. */
export function setOwn(map: { [key: string]: Json }, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
  else map[key] = value;
}

/** The value of an own key; undefined when there is none. */
export function getOwn(map: JsonMap, key: string): Json | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
