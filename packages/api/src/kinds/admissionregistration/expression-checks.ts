// Checks the expressions of one webhook configuration or policy: that they compile, and to what (spec/apiserver.md §15.4).

import { type FieldError, type FieldPath, invalid } from '@homeostat/machinery';
import type { CelEnvironment, CelType } from '@homeostat/machinery/cel';
import type { Cel } from '../../strategy.ts';
import { admissionVariables, type AdmissionVariablesOptions, mutationLibrary } from './admission-variables.ts';

export interface AdmissionExpressionsOptions {
  /** Default false. */
  readonly hasParams?: boolean;
  /** Whether expressions make objects and patches. Default false. */
  readonly mutates?: boolean;
}

export class AdmissionExpressions {
  readonly #cel: Cel;
  readonly #options: AdmissionExpressionsOptions;
  readonly #variables = new Map<string, CelType>();
  readonly #environments = new Map<boolean, CelEnvironment>();

  constructor(cel: Cel, options: AdmissionExpressionsOptions = {}) {
    this.#cel = cel;
    this.#options = options;
  }

  /**
   * Compiles an expression, which must evaluate to one of the types `wanted` (their names).
   * Messages (`string`) are made without the authorizer.
   */
  check(expression: string, wanted: readonly string[], path: FieldPath, errors: FieldError[]): void {
    const hasAuthorizer = !(wanted.length === 1 && wanted[0] === 'string');
    const { program, error } = this.#environment(hasAuthorizer).compile(expression);
    if (program === undefined) errors.push(invalid(path, expression, error));
    else if (!wanted.includes(program.typeName)) {
      const types = wanted.length === 1 ? (wanted[0] ?? '') : `one of [${wanted.join(' ')}]`;
      errors.push(invalid(path, expression, `must evaluate to ${types} but got ${program.typeName}`));
    }
  }

  /** Compiles a variable; expressions after it see it as `variables.name`, one that does not compile as of any type. */
  declare(name: string, expression: string, path: FieldPath, errors: FieldError[]): void {
    const { program, error } = this.#environment(true).compile(expression);
    if (program === undefined) errors.push(invalid(path, expression, error));
    this.#variables.set(name, program?.type ?? this.#cel.dynType);
    this.#environments.clear();
  }

  #environment(hasAuthorizer: boolean): CelEnvironment {
    const known = this.#environments.get(hasAuthorizer);
    if (known !== undefined) return known;
    const { hasParams = false, mutates = false } = this.#options;
    const options: AdmissionVariablesOptions = { hasParams, hasAuthorizer, variables: new Map(this.#variables) };
    const made = this.#cel.createCelEnvironment({
      variables: admissionVariables(this.#cel, options),
      libraries: mutates ? [mutationLibrary(this.#cel)] : [],
    });
    this.#environments.set(hasAuthorizer, made);
    return made;
  }
}
