// Functions as data: an overload is written as its signature and its implementation, and a library is a list of them.
// `string.indexOf(string, int): int` is a method of a string; `size(list(A)): int` a plain function.

import * as types from './types.ts';
import type { CelType } from './types.ts';
import type { CelValue } from './values.ts';

/** What an implementation may ask of the evaluation it runs in. */
export interface CallContext {
  /** Charges cost units. @throws when the budget is spent */
  charge: (cost: number) => void;
}

export type Implementation = (args: readonly CelValue[], context: CallContext) => CelValue;

export interface Overload {
  readonly name: string;
  readonly member: boolean;
  /** The target first, for methods. */
  readonly args: readonly CelType[];
  readonly result: CelType;
  readonly call: Implementation;
}

/** Functions, and names that are types. */
export interface Library {
  readonly overloads: readonly Overload[];
  readonly types?: (name: string) => CelType | undefined;
}

/** Overloads from a table of signatures. @throws Error on a signature that can't be read: a mistake of the table */
export function overloads(table: Readonly<Record<string, Implementation>>): Overload[] {
  return Object.entries(table).map(([signature, call]) => {
    const match = /^(?:([^.(]+(?:\(.*?\))?)\.(?=[A-Za-z]+\())?([^(]+)\((.*)\): (.+)$/.exec(signature);
    const [, target, name = '', args = '', result = ''] = match ?? [];
    if (match === null) throw new Error(`bad signature ${signature}`);
    const listed = splitArgs(args).map(parseType);
    const member = target !== undefined;
    return { name, member, args: member ? [parseType(target), ...listed] : listed, result: parseType(result), call };
  });
}

/** Overloads of operators and qualified functions, whose names do not follow the rules of identifiers. */
export function overloadsOf(name: string, table: Readonly<Record<string, Implementation>>): Overload[] {
  return Object.entries(table).map(([signature, call]) => {
    const [args = '', result = ''] = signature.split(': ');
    return { name, member: false, args: splitArgs(args.slice(1, -1)).map(parseType), result: parseType(result), call };
  });
}

const simple = new Map<string, CelType>([
  ['dyn', types.dynType], ['null', types.nullType], ['bool', types.boolType], ['int', types.intType], ['uint', types.uintType],
  ['double', types.doubleType], ['string', types.stringType], ['bytes', types.bytesType],
  ['timestamp', types.timestampType], ['duration', types.durationType],
]); // prettier-ignore

/** Short names of signatures for Kubernetes' own types. */
const opaque = new Map([
  ['Quantity', 'kubernetes.Quantity'], ['URL', 'kubernetes.URL'], ['IP', 'net.IP'], ['CIDR', 'net.CIDR'],
  ['Semver', 'kubernetes.Semver'], ['Format', 'kubernetes.NamedFormat'], ['Authorizer', 'kubernetes.authorization.Authorizer'],
  ['PathCheck', 'kubernetes.authorization.PathCheck'], ['GroupCheck', 'kubernetes.authorization.GroupCheck'],
  ['ResourceCheck', 'kubernetes.authorization.ResourceCheck'], ['Decision', 'kubernetes.authorization.Decision'],
]); // prettier-ignore

function parseType(text: string): CelType {
  const known = simple.get(text);
  if (known !== undefined) return known;
  const name = opaque.get(text);
  if (name !== undefined) return types.opaqueType(name);
  if (/^[A-Z]$/.test(text)) return types.paramType(text);
  const [, constructor = '', inner = ''] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
  const [first = types.dynType, second = types.dynType] = splitArgs(inner).map(parseType);
  switch (constructor) {
    case 'list':
      return types.listType(first);
    case 'map':
      return types.mapType(first, second);
    case 'optional':
      return types.optionalType(first);
    case 'type':
      return types.typeType(first);
    default:
      throw new Error(`bad type ${text}`);
  }
}

/** Splits at commas outside brackets. */
function splitArgs(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const char of text) {
    if (char === '(') depth++;
    else if (char === ')') depth--;
    if (char === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
    } else part += char;
  }
  if (part.trim() !== '') parts.push(part.trim());
  return parts;
}
