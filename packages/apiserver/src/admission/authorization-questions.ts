// The variable `authorizer` of expressions. Expressions are evaluated in one go, but authorizers may have to wait: an expression
// that asks an open question is stopped, the question is answered, and the expression starts over with the answer at hand.

import type { AuthorizationAnswer, AuthorizationQuestion } from '@homeostat/machinery/cel';
import type { AdmissionAttributes } from '../server/admission.ts';
import type { AuthorizationAttributes, AuthorizationResult, Authorizer } from '../server/authorizer.ts';
import type { User } from '../server/user.ts';

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

/** Answers an expression's questions about the request's user, or a service account it names. */
export class Asking {
  readonly #authorizer: Authorizer;
  readonly #attributes: AdmissionAttributes;
  readonly #answers = new Map<string, AuthorizationAnswer>();

  constructor(authorizer: Authorizer, attributes: AdmissionAttributes) {
    this.#authorizer = authorizer;
    this.#attributes = attributes;
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
    const { user, signal } = this.#attributes;
    const result = this.#authorizer.authorize(toAttributes(question, user), signal);
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
