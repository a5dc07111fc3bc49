// Whether a stored CustomResourceDefinition has the shape that the rest of this folder relies on. The API lets in no other;
// what others wrote into the store, or a restored backup holds, must not keep the server from serving the rest.

import { asList, asMap, type Json, type KubeObject } from '@homeostat/machinery';

/** Only shapes are looked at, not whether names or schemas are valid. */
export function isReadableDefinition(definition: KubeObject): boolean {
  const { spec, status } = definition as { readonly spec?: Json; readonly status?: Json };
  const map = asMap(spec);
  if (map === undefined || typeof map['group'] !== 'string' || !areNames(map['names'])) return false;
  if (!isListOfMaps(map['versions'])) return false;
  if (status === undefined) return true;
  const { conditions, acceptedNames } = (asMap(status) ?? { conditions: 0 }) as {
    readonly conditions?: Json;
    readonly acceptedNames?: Json;
  };
  const hasConditions = conditions === undefined || conditions === null || isListOfMaps(conditions);
  return hasConditions && (acceptedNames === undefined || areNames(acceptedNames));
}

function areNames(value: Json | undefined): boolean {
  const names = asMap(value);
  if (names === undefined) return false;
  const isTexts = (field: string): boolean =>
    names[field] === undefined || asList(names[field])?.every((name) => typeof name === 'string') === true;
  return (
    typeof names['plural'] === 'string' &&
    typeof names['kind'] === 'string' &&
    isTexts('shortNames') &&
    isTexts('categories')
  );
}

function isListOfMaps(value: Json | undefined): boolean {
  return asList(value)?.every((item) => asMap(item) !== undefined) === true;
}
