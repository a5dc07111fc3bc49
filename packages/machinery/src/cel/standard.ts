// What every expression of Kubernetes may use: the standard library, Kubernetes' libraries and the extensions it enables.

import type { Library } from './functions.ts';
import { authorizers } from './libraries/authorizer.ts';
import { conversions } from './libraries/conversions.ts';
import { ips } from './libraries/ips.ts';
import { lists } from './libraries/lists.ts';
import { namedFormats } from './libraries/named-formats.ts';
import { operators } from './libraries/operators.ts';
import { optionals } from './libraries/optionals.ts';
import { quantities } from './libraries/quantity.ts';
import { regex } from './libraries/regex.ts';
import { semvers } from './libraries/semvers.ts';
import { sets } from './libraries/sets.ts';
import { strings } from './libraries/strings.ts';
import { timeFields } from './libraries/time-fields.ts';
import { urls } from './libraries/urls.ts';
import * as types from './types.ts';

const typesByName = new Map<string, types.CelType>([
  ['bool', types.boolType],
  ['int', types.intType],
  ['uint', types.uintType],
  ['double', types.doubleType],
  ['string', types.stringType],
  ['bytes', types.bytesType],
  ['null_type', types.nullType],
  ['list', types.listType(types.dynType)],
  ['map', types.mapType(types.dynType, types.dynType)],
  ['type', types.typeType()],
  ['google.protobuf.Timestamp', types.timestampType],
  ['google.protobuf.Duration', types.durationType],
  ['optional_type', types.optionalType(types.dynType)],
  ['net.IP', types.opaqueType('net.IP')],
  ['net.CIDR', types.opaqueType('net.CIDR')],
]);

export const standardLibrary: Library = {
  overloads: [
    ...operators, ...conversions, ...timeFields, ...strings, ...lists, ...regex, ...sets, ...optionals, ...quantities, ...urls,
    ...ips, ...semvers, ...namedFormats, ...authorizers,
  ], // prettier-ignore
  types: (name) => typesByName.get(name),
};
