// Kubernetes' authorizer library: `authorizer.group('').resource('pods').namespace('x').check('get').allowed()`.
// Who decides is a port: the API server gives an authorizer that answers at once.

import { type Overload, overloads } from '../functions.ts';
import type { CelOpaque, CelValue } from '../values.ts';

/** What is asked. */
export type AuthorizationQuestion =
  | { readonly verb: string; readonly path: string; readonly serviceAccount?: ServiceAccountName }
  | {
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
      readonly fieldSelector?: string;
      readonly labelSelector?: string;
      readonly serviceAccount?: ServiceAccountName;
    };

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

export interface AuthorizationAnswer {
  readonly allowed: boolean;
  readonly reason?: string;
  readonly error?: string;
}

/** Answers for the user of the request, or for the service account that the question names. */
export type CelAuthorizer = (question: AuthorizationQuestion) => AuthorizationAnswer;

class Step<T> implements CelOpaque {
  readonly opaqueName: string;
  readonly authorizer: CelAuthorizer;
  readonly parts: T;

  constructor(name: string, authorizer: CelAuthorizer, parts: T) {
    this.opaqueName = `kubernetes.authorization.${name}`;
    this.authorizer = authorizer;
    this.parts = parts;
  }

  equals(other: CelOpaque): boolean {
    return other === this;
  }
}

interface Parts {
  readonly serviceAccount?: ServiceAccountName;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

class Decision implements CelOpaque {
  readonly opaqueName = 'kubernetes.authorization.Decision';
  readonly answer: AuthorizationAnswer;

  constructor(answer: AuthorizationAnswer) {
    this.answer = answer;
  }

  equals(other: CelOpaque): boolean {
    return other === this;
  }
}

/** The value of the variable `authorizer`. */
export function authorizerValue(authorizer: CelAuthorizer): CelOpaque {
  return new Step<Parts>('Authorizer', authorizer, {});
}

/** The value of `authorizer.requestResource`: the resource of the request itself. */
export function resourceCheckValue(authorizer: CelAuthorizer, resource: Omit<Parts, 'path'>): CelOpaque {
  return new Step<Parts>('ResourceCheck', authorizer, resource);
}

const of = (value: CelValue | undefined): Step<Parts> => value as Step<Parts>;
const grown = (name: string, value: CelValue | undefined, parts: Parts): Step<Parts> =>
  new Step(name, of(value).authorizer, { ...of(value).parts, ...parts });
const answerOf = (value: CelValue | undefined): AuthorizationAnswer => (value as Decision).answer;

export const authorizers: readonly Overload[] = overloads({
  'Authorizer.path(string): PathCheck': ([a, path]) => grown('PathCheck', a, { path: path as string }),
  'Authorizer.group(string): GroupCheck': ([a, group]) => grown('GroupCheck', a, { group: group as string }),
  'Authorizer.serviceAccount(string, string): Authorizer': ([a, namespace, name]) =>
    grown('Authorizer', a, { serviceAccount: { namespace: namespace as string, name: name as string } }),
  'GroupCheck.resource(string): ResourceCheck': ([a, resource]) =>
    grown('ResourceCheck', a, { resource: resource as string }),
  'ResourceCheck.subresource(string): ResourceCheck': ([a, subresource]) =>
    grown('ResourceCheck', a, { subresource: subresource as string }),
  'ResourceCheck.namespace(string): ResourceCheck': ([a, namespace]) =>
    grown('ResourceCheck', a, { namespace: namespace as string }),
  'ResourceCheck.name(string): ResourceCheck': ([a, name]) => grown('ResourceCheck', a, { name: name as string }),
  'ResourceCheck.fieldSelector(string): ResourceCheck': ([a, selector]) =>
    grown('ResourceCheck', a, { fieldSelector: selector as string }),
  'ResourceCheck.labelSelector(string): ResourceCheck': ([a, selector]) =>
    grown('ResourceCheck', a, { labelSelector: selector as string }),
  'PathCheck.check(string): Decision': ([a, verb]) => {
    const { path = '', ...rest } = of(a).parts;
    return new Decision(of(a).authorizer({ verb: verb as string, path, ...rest }));
  },
  'ResourceCheck.check(string): Decision': ([a, verb]) => {
    const { group = '', resource = '', subresource = '', namespace = '', name = '', ...rest } = of(a).parts;
    return new Decision(
      of(a).authorizer({ verb: verb as string, group, resource, subresource, namespace, name, ...rest }),
    );
  },
  'Decision.allowed(): bool': ([a]) => answerOf(a).allowed,
  'Decision.reason(): string': ([a]) => answerOf(a).reason ?? '',
  'Decision.errored(): bool': ([a]) => answerOf(a).error !== undefined,
  'Decision.error(): string': ([a]) => answerOf(a).error ?? '',
});
