// Asks authorizers in order: the first that allows or denies decides; opinions withheld are collected as reasons.
// Spec: spec/apiserver.md §17.

import type { AuthorizationAttributes, AuthorizationResult, Authorizer } from '../server/authorizer.ts';
import type { User } from '../server/user.ts';
import { joinErrors } from './rbac/rbac-authorizer.ts';
import type { ResolvedRules, RuleResolver } from './rule-resolver.ts';

export class UnionAuthorizer implements Authorizer, RuleResolver {
  readonly #authorizers: readonly Authorizer[];
  readonly #resolvers: readonly RuleResolver[];

  constructor(authorizers: readonly (Authorizer & Partial<RuleResolver>)[]) {
    this.#authorizers = authorizers;
    this.#resolvers = authorizers.filter((each): each is Authorizer & RuleResolver => each.resolveRules !== undefined);
  }

  /** Stays synchronous as long as the authorizers asked are. */
  authorize(
    attributes: AuthorizationAttributes,
    signal?: AbortSignal,
  ): AuthorizationResult | Promise<AuthorizationResult> {
    return this.#ask(attributes, signal, { index: 0, reasons: [], errors: [] });
  }

  resolveRules(user: User, namespace: string): ResolvedRules {
    const answers = this.#resolvers.map((resolver) => resolver.resolveRules(user, namespace));
    const errors = answers.flatMap((answer) => answer.error ?? []);
    return {
      resourceRules: answers.flatMap((answer) => answer.resourceRules),
      nonResourceRules: answers.flatMap((answer) => answer.nonResourceRules),
      incomplete: answers.some((answer) => answer.incomplete),
      ...(errors.length === 0 ? {} : { error: joinErrors(errors) }),
    };
  }

  #ask(
    attributes: AuthorizationAttributes,
    signal: AbortSignal | undefined,
    so: Progress,
  ): AuthorizationResult | Promise<AuthorizationResult> {
    for (let index = so.index; index < this.#authorizers.length; index++) {
      const answer = this.#authorizers[index]?.authorize(attributes, signal);
      if (answer instanceof Promise) {
        return answer.then(
          (result) => record(so, result) ?? this.#ask(attributes, signal, { ...so, index: index + 1 }),
        );
      }
      const decided = answer === undefined ? undefined : record(so, answer);
      if (decided !== undefined) return decided;
    }
    return {
      decision: 'noOpinion',
      ...(so.reasons.length === 0 ? {} : { reason: so.reasons.join('\n') }),
      ...(so.errors.length === 0 ? {} : { error: joinErrors(so.errors) }),
    };
  }
}

interface Progress {
  readonly index: number;
  readonly reasons: string[];
  readonly errors: string[];
}

/** Returns the result when it decides, else keeps what it said. */
function record(so: Progress, result: AuthorizationResult): AuthorizationResult | undefined {
  if (result.decision !== 'noOpinion') return result;
  if (result.reason !== undefined && result.reason !== '') so.reasons.push(result.reason);
  if (result.error !== undefined) so.errors.push(result.error);
  return undefined;
}
