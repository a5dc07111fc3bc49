// Type inference for the checker: assigns types to type variables so that an argument's type fits a parameter's.

import { type CelType, dynType, listType, mapType, opaqueType, type ParamType, typeType } from './types.ts';

/** What the type variables stand for so far; immutable, so that a failed attempt leaves nothing behind. */
export type Bindings = ReadonlyMap<string, CelType>;

/** `bindings` grown so that a value of type `from` may stand where `to` is wanted, or undefined if it may not. */
export function assign(bindings: Bindings, to: CelType, from: CelType): Bindings | undefined {
  const wanted = resolve(bindings, to);
  const given = resolve(bindings, from);
  if (wanted.kind === 'param') return bind(bindings, wanted, given);
  if (given.kind === 'param') return bind(bindings, given, wanted);
  if (isLoose(wanted) || isLoose(given)) return bindings;
  if (given.kind === 'null') return wanted.kind === 'null' || takesNull(wanted) ? bindings : undefined;
  if (wanted.kind === 'null') return takesNull(given) ? bindings : undefined;
  switch (wanted.kind) {
    case 'list':
      return given.kind === 'list' ? assign(bindings, wanted.element, given.element) : undefined;
    case 'map':
      return given.kind === 'map'
        ? assignAll(bindings, [wanted.key, wanted.value], [given.key, given.value])
        : undefined;
    case 'struct':
      return given.kind === 'struct' && given.name === wanted.name ? bindings : undefined;
    case 'opaque':
      return given.kind === 'opaque' && given.name === wanted.name
        ? assignAll(bindings, wanted.params, given.params)
        : undefined;
    case 'type':
      return given.kind === 'type' ? bindings : undefined;
    default:
      return given.kind === wanted.kind ? bindings : undefined;
  }
}

export function assignAll(bindings: Bindings, to: readonly CelType[], from: readonly CelType[]): Bindings | undefined {
  if (to.length !== from.length) return undefined;
  return to.reduce<Bindings | undefined>(
    (grown, wanted, index) => (grown === undefined ? undefined : assign(grown, wanted, from[index] ?? dynType)),
    bindings,
  );
}

function isLoose(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'error';
}

/** Objects, times and library types may be null. */
function takesNull(type: CelType): boolean {
  return type.kind === 'struct' || type.kind === 'timestamp' || type.kind === 'duration' || type.kind === 'opaque';
}

function bind(bindings: Bindings, variable: ParamType, type: CelType): Bindings | undefined {
  if (type.kind === 'param' && type.name === variable.name) return bindings;
  if (mentions(bindings, type, variable.name)) return undefined;
  return new Map(bindings).set(variable.name, type);
}

function mentions(bindings: Bindings, type: CelType, name: string): boolean {
  const found = resolve(bindings, type);
  switch (found.kind) {
    case 'param':
      return found.name === name;
    case 'list':
      return mentions(bindings, found.element, name);
    case 'map':
      return mentions(bindings, found.key, name) || mentions(bindings, found.value, name);
    case 'opaque':
      return found.params.some((param) => mentions(bindings, param, name));
    default:
      return false;
  }
}

/** What a variable stands for, one step; other types as they are. */
export function resolve(bindings: Bindings, type: CelType): CelType {
  let found = type;
  while (found.kind === 'param') {
    const next = bindings.get(found.name);
    if (next === undefined) return found;
    found = next;
  }
  return found;
}

/** The type with all variables replaced; unbound ones become `dyn` if `final`. */
export function substitute(bindings: Bindings, type: CelType, final = false): CelType {
  const found = resolve(bindings, type);
  switch (found.kind) {
    case 'param':
      return final ? dynType : found;
    case 'list': {
      const element = substitute(bindings, found.element, final);
      return element === found.element ? found : listType(element, found.sizeMax);
    }
    case 'map': {
      const key = substitute(bindings, found.key, final);
      const value = substitute(bindings, found.value, final);
      return key === found.key && value === found.value ? found : mapType(key, value, found.sizeMax);
    }
    case 'opaque': {
      const params = found.params.map((param) => substitute(bindings, param, final));
      return params.every((param, index) => param === found.params[index]) ? found : opaqueType(found.name, ...params);
    }
    case 'type':
      return found.of === undefined ? found : typeType(substitute(bindings, found.of, final));
    default:
      return found;
  }
}

/** The type with its parameters renamed, so that each use of an overload has its own. */
export function instantiate(type: CelType, suffix: string): CelType {
  switch (type.kind) {
    case 'param':
      return { kind: 'param', name: `${type.name}${suffix}` };
    case 'list':
      return listType(instantiate(type.element, suffix));
    case 'map':
      return mapType(instantiate(type.key, suffix), instantiate(type.value, suffix));
    case 'opaque':
      return opaqueType(type.name, ...type.params.map((param) => instantiate(param, suffix)));
    case 'type':
      return type.of === undefined ? type : typeType(instantiate(type.of, suffix));
    default:
      return type;
  }
}

/** Whether a type has no variables. */
export function isGround(type: CelType): boolean {
  switch (type.kind) {
    case 'param':
      return false;
    case 'list':
      return isGround(type.element);
    case 'map':
      return isGround(type.key) && isGround(type.value);
    case 'opaque':
      return type.params.every(isGround);
    case 'type':
      return type.of === undefined || isGround(type.of);
    default:
      return true;
  }
}

/** Whether two types are the same; used to find the common type of a list's elements. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a.kind === 'list' && b.kind === 'list') return sameType(a.element, b.element);
  if (a.kind === 'map' && b.kind === 'map') return sameType(a.key, b.key) && sameType(a.value, b.value);
  if (a.kind === 'struct' && b.kind === 'struct') return a.name === b.name;
  if (a.kind === 'param' && b.kind === 'param') return a.name === b.name;
  if (a.kind === 'type' && b.kind === 'type')
    return a.of === b.of || (a.of !== undefined && b.of !== undefined && sameType(a.of, b.of));
  if (a.kind === 'opaque' && b.kind === 'opaque') {
    return a.name === b.name && a.params.every((param, index) => sameType(param, b.params[index] ?? dynType));
  }
  return a.kind === b.kind;
}
