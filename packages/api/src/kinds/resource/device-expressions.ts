// Expressions that select devices: what they see of a device, and that they compile to a truth value
// (`k8s.io/dynamic-resource-allocation/cel`).

import { type FieldError, type FieldPath, invalid } from '@homeostat/machinery';
import type { CelType } from '@homeostat/machinery/cel';
import type { Cel } from '../../strategy.ts';

/** The type of the variable `device`. */
export function deviceType(cel: Cel): CelType {
  const { boolType, dynType, mapType, opaqueType, stringType, structType } = cel;
  const byDomain = (value: CelType): CelType => mapType(stringType, mapType(stringType, value));
  return structType(
    'kubernetes.DRADevice',
    new Map<string, CelType>([
      ['driver', stringType],
      ['allowMultipleAllocations', boolType],
      ['attributes', byDomain(dynType)],
      ['capacity', byDomain(opaqueType('kubernetes.Quantity'))],
    ]),
  );
}

export function checkDeviceExpression(expression: string, path: FieldPath, errors: FieldError[], cel: Cel): void {
  const environment = cel.createCelEnvironment({ variables: { device: deviceType(cel) } });
  const { program, error } = environment.compile(expression);
  if (program === undefined) errors.push(invalid(path, expression, error));
  else if (program.typeName !== 'bool' && program.typeName !== 'dyn') {
    errors.push(invalid(path, expression, `must evaluate to bool or the unknown type, not ${program.typeName}`));
  }
}
