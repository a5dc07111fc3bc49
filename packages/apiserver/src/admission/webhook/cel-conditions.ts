// Match conditions in CEL. Expressions are evaluated in one go, but authorizers may have to wait: an expression that asks an
// open question is stopped, the question is answered, and the expression starts over with the answer at hand.

import { loadAdmissionExpressions } from '@homeostat/api';
import type { AuthorizationAnswer, AuthorizationQuestion } from '@homeostat/machinery/cel';
import type { AuthorizationAttributes, AuthorizationResult } from '../../server/authorizer.ts';
import type { User } from '../../server/user.ts';
import type { ConditionBudget, ConditionLanguage, ConditionVariables } from './condition-language.ts';

/** Questions one expression may ask that have to be waited for. */
const questionsMax = 100;

class OpenQuestion extends Error {
  readonly key: string;
  readonly answer: Promise<AuthorizationResult>;

  constructor(key: string, answer: Promise<AuthorizationResult>) {
    super('an authorizer is being asked');
    this.key = key;
    this.answer = answer;
  }
}

export async function loadCelConditions(): Promise<ConditionLanguage> {
  const cel = await loadAdmissionExpressions();
  return {
    costBudget: cel.matchConditionsCostBudget,
    compile(expression) {
      const { program, problem } = cel.compileMatchCondition(expression.trim());
      if (program === undefined) throw new Error(problem);
      return {
        async holds(variables, budget) {
          const asking = new Asking(variables);
          const { resource, subresource, namespace, name } = variables.attributes;
          const bindings = {
            object: variables.object,
            oldObject: variables.oldObject,
            request: variables.request,
            // Only policies are given the namespace.
            namespaceObject: null,
            authorizer: cel.authorizerValue(asking.ask),
            'authorizer.requestResource': cel.resourceCheckValue(asking.ask, {
              group: resource.group,
              resource: resource.resource,
              subresource,
              namespace,
              name,
            }),
          };
          const result = await asking.untilAnswered(() =>
            program.evaluate(bindings, { costBudget: Math.min(budget.left, perExpressionCostMax) }),
          );
          spend(budget, result.cost);
          if (result.error === undefined) return result.value === true;
          if (budget.left <= 0) throw new Error(exhaustedText);
          throw new Error(result.error);
        },
      };
    },
  };
}

const perExpressionCostMax = 1_000_000;
const exhaustedText = 'validation failed due to running out of cost budget, no further validation rules will be run';

function spend(budget: ConditionBudget, cost: number): void {
  budget.left = Math.max(0, budget.left - cost);
}

/** Answers an expression's questions about the request's user, or a service account it names. */
class Asking {
  readonly #variables: ConditionVariables;
  readonly #answers = new Map<string, AuthorizationAnswer>();

  constructor(variables: ConditionVariables) {
    this.#variables = variables;
  }

  async untilAnswered<T>(evaluate: () => T): Promise<T> {
    for (;;) {
      try {
        return evaluate();
      } catch (error) {
        if (!(error instanceof OpenQuestion)) throw error;
        if (this.#answers.size >= questionsMax)
          throw new Error('too many questions to the authorizer', { cause: error });
        this.#answers.set(error.key, await answered(error.answer));
      }
    }
  }

  ask = (question: AuthorizationQuestion): AuthorizationAnswer => {
    const key = JSON.stringify(question);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const { authorizer, attributes } = this.#variables;
    const result = authorizer.authorize(toAttributes(question, attributes.user), attributes.signal);
    if (result instanceof Promise) throw new OpenQuestion(key, result);
    const answer = toAnswer(result);
    this.#answers.set(key, answer);
    return answer;
  };
}

async function answered(result: Promise<AuthorizationResult>): Promise<AuthorizationAnswer> {
  try {
    return toAnswer(await result);
  } catch (error) {
    return { allowed: false, error: error instanceof Error ? error.message : String(error) };
  }
}

function toAnswer({ decision, reason, error }: AuthorizationResult): AuthorizationAnswer {
  return {
    allowed: decision === 'allow',
    ...(reason === undefined ? {} : { reason }),
    ...(error === undefined ? {} : { error }),
  };
}

function toAttributes(question: AuthorizationQuestion, requester: User): AuthorizationAttributes {
  const user = question.serviceAccount === undefined ? requester : serviceAccountUser(question.serviceAccount);
  const nothing = { path: '', group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };
  if ('path' in question)
    return { ...nothing, user, verb: question.verb, isResourceRequest: false, path: question.path };
  const { serviceAccount: _account, ...asked } = question;
  return { ...nothing, ...asked, version: '*', user, isResourceRequest: true };
}

function serviceAccountUser({ namespace, name }: { readonly namespace: string; readonly name: string }): User {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    uid: '',
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    extra: {},
  };
}
