// The questions one mode of impersonation asks before it lets a user act as another (spec/apiserver.md §16.1, KEP-5284):
// constrained modes ask for `impersonate:<mode>` in authentication.k8s.io, the legacy one for `impersonate` in the core group.

import type { AuthorizationAttributes, Authorizer } from '../../server/authorizer.ts';
import { anonymousUser, type User } from '../../server/user.ts';
import { newAuthorizationForbidden } from '../forbidden.ts';
import { nodesGroup } from '../node/node-identity.ts';
import { privilegedGroup } from '../privileged-group.ts';

const authenticationGroup = 'authentication.k8s.io';
const authenticated = 'system:authenticated';
const unauthenticated = 'system:unauthenticated';
const nodePrefix = 'system:node:';

/** From this many groups or extras on, constrained modes try one question about all of them first. */
const manyQuestions = 4;

export interface ImpersonationCheckOptions {
  readonly authorizer: Authorizer;
  /** `impersonate`, or `impersonate:<mode>`. */
  readonly verb: string;
  readonly requestor: User;
  readonly signal?: AbortSignal;
}

/** Asks everything `wanted` needs. @throws ApiError 403 with the first refusal. */
export async function checkImpersonation(wanted: User, options: ImpersonationCheckOptions): Promise<User> {
  const constrained = options.verb !== 'impersonate';
  const ask = createAsk(options);
  const groups = await checkName(wanted, ask, constrained);
  if (wanted.uid !== '') await ask({ group: authenticationGroup, resource: 'uids', name: wanted.uid });
  await checkGroups(wanted.groups, ask, constrained);
  await checkExtra(wanted.extra, ask, constrained);
  return { ...wanted, groups: withStandingGroup(wanted.username, groups) };
}

interface Question {
  readonly group: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource?: string;
  readonly namespace?: string;
}

interface Ask {
  (question: Question): Promise<void>;
  /** Whether a question is answered with yes. */
  allows(question: Question): Promise<boolean>;
  refuse(question: Question, reason: string): never;
}

function createAsk(options: ImpersonationCheckOptions): Ask {
  const attributesOf = (question: Question): AuthorizationAttributes => ({
    user: options.requestor,
    verb: options.verb,
    isResourceRequest: true,
    path: '',
    version: 'v1',
    subresource: '',
    namespace: '',
    ...question,
  });
  const decide = (question: Question) => options.authorizer.authorize(attributesOf(question), options.signal);
  const ask = async (question: Question): Promise<void> => {
    const answer = await decide(question);
    if (answer.decision === 'allow') return;
    const reason = [answer.error, answer.reason].filter((text) => text !== undefined && text !== '').join(': ');
    throw newAuthorizationForbidden(attributesOf(question), reason);
  };
  return Object.assign(ask, {
    allows: async (question: Question): Promise<boolean> => (await decide(question)).decision === 'allow',
    refuse: (question: Question, reason: string): never => {
      throw newAuthorizationForbidden(attributesOf(question), reason);
    },
  });
}

/** Checks the user name; returns the groups the user will have, before the standing one. */
async function checkName(wanted: User, ask: Ask, constrained: boolean): Promise<readonly string[]> {
  const group = constrained ? authenticationGroup : '';
  const account = splitAccountName(wanted.username);
  if (account !== undefined) {
    await ask({ group, resource: 'serviceaccounts', ...account });
    if (wanted.groups.length > 0) return wanted.groups;
    return ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`];
  }
  if (constrained && wanted.username.startsWith(nodePrefix)) {
    await ask({ group, resource: 'nodes', name: wanted.username.slice(nodePrefix.length) });
    return [nodesGroup];
  }
  await ask({ group, resource: 'users', name: wanted.username });
  return wanted.groups;
}

async function checkGroups(groups: readonly string[], ask: Ask, constrained: boolean): Promise<void> {
  const question = { group: constrained ? authenticationGroup : '', resource: 'groups' };
  if (constrained) {
    if (groups.includes(''))
      ask.refuse({ ...question, name: '' }, 'impersonating the empty string group is not allowed');
    if (groups.includes(privilegedGroup)) {
      ask.refuse({ ...question, name: privilegedGroup }, 'impersonating the system:masters group is not allowed');
    }
    if (groups.length >= manyQuestions && (await ask.allows({ ...question, name: '*' }))) return;
  }
  for (const name of groups) await ask({ ...question, name });
}

async function checkExtra(extra: User['extra'], ask: Ask, constrained: boolean): Promise<void> {
  const question = { group: authenticationGroup, resource: 'userextras' };
  const pairs = Object.entries(extra).flatMap(([key, values]) => values.map((value) => ({ key, value })));
  if (constrained) {
    const problem = extraProblem(extra);
    if (problem !== undefined) ask.refuse({ ...question, name: '' }, problem);
    const many = pairs.length >= manyQuestions;
    if (many && (await ask.allows({ ...question, subresource: '*', name: '*' }))) return;
  }
  for (const { key, value } of pairs) await ask({ ...question, subresource: key, name: value });
}

function extraProblem(extra: User['extra']): string | undefined {
  for (const [key, values] of Object.entries(extra)) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    if (values.length === 0) return 'impersonating empty values in extra is not allowed';
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
}

/** Everybody is authenticated, except the anonymous user and who asks not to be. */
function withStandingGroup(username: string, groups: readonly string[]): readonly string[] {
  const standing = username === anonymousUser.username ? unauthenticated : authenticated;
  if (groups.includes(standing) || groups.includes(unauthenticated)) return groups;
  return [...groups, standing];
}

/** Namespace and name of `system:serviceaccount:<namespace>:<name>`; undefined for anything else. */
export function splitAccountName(username: string): { readonly namespace: string; readonly name: string } | undefined {
  const match =
    /^system:serviceaccount:([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?):([a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?)$/.exec(
      username,
    );
  if (match === null) return undefined;
  return { namespace: match[1] ?? '', name: match[2] ?? '' };
}
