// Lets a user act as another (spec/apiserver.md §16.1, KEP-5284). Constrained modes are tried before the legacy one; the
// mode that last worked for a user is tried first, and its refusal is then the one told.

import { isApiError } from '@homeostat/base';
import type { ApiRequest } from '@homeostat/client';
import type { AuthorizationAttributes, Authorizer } from '../../server/authorizer.ts';
import type { User } from '../../server/user.ts';
import { newAuthorizationForbidden } from '../forbidden.ts';
import { nodeIdentity, nodesGroup } from '../node/node-identity.ts';
import { checkImpersonation, splitAccountName } from './impersonation-check.ts';
import { readWantedUser } from './wanted-user.ts';

type Mode = 'associated-node' | 'arbitrary-node' | 'serviceaccount' | 'user-info' | 'legacy';

const modes: readonly Mode[] = ['associated-node', 'arbitrary-node', 'serviceaccount', 'user-info', 'legacy'];

/** Users whose last working mode is remembered; the oldest is forgotten first. */
const remembered = 10_000;

export class Impersonator {
  readonly #authorizer: Authorizer;
  readonly #lastMode = new Map<string, Mode>();

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  /**
   * The user `request` shall be handled as: `attributes.user` itself when nobody is impersonated.
   * @throws ApiError 400 for headers without a user name, 403 when the user may not.
   */
  async impersonate(request: ApiRequest, attributes: AuthorizationAttributes): Promise<User> {
    const wanted = readWantedUser(request.headers);
    if (wanted === undefined) return attributes.user;
    const last = this.#lastMode.get(attributes.user.username);
    const order = last === undefined ? modes : [last, ...modes.filter((mode) => mode !== last)];
    let refusal: unknown;
    for (const mode of order) {
      if (!applies(mode, wanted, attributes.user)) continue;
      try {
        const user = await this.#tryMode(mode, wanted, { attributes, signal: request.signal });
        this.#remember(attributes.user.username, mode);
        return user;
      } catch (error) {
        if (!isApiError(error)) throw error;
        refusal ??= error;
      }
    }
    throw refusal;
  }

  async #tryMode(
    mode: Mode,
    wanted: User,
    about: { readonly attributes: AuthorizationAttributes; readonly signal: AbortSignal },
  ): Promise<User> {
    const { attributes, signal } = about;
    const check = { authorizer: this.#authorizer, requestor: attributes.user, signal };
    if (mode === 'legacy') return checkImpersonation(wanted, { ...check, verb: 'impersonate' });
    // First: may this request be made in this mode at all.
    const on = { ...attributes, verb: `impersonate-on:${mode}:${attributes.verb}` };
    const answer = await this.#authorizer.authorize(on, signal);
    if (answer.decision !== 'allow') throw newAuthorizationForbidden(on, answer.reason);
    if (mode === 'associated-node') return this.#associatedNode(wanted, { attributes, signal });
    return checkImpersonation(wanted, { ...check, verb: `impersonate:${mode}` });
  }

  /** A ServiceAccount acting as the node its Pod runs on is asked about nodes in general. */
  async #associatedNode(
    wanted: User,
    about: { readonly attributes: AuthorizationAttributes; readonly signal: AbortSignal },
  ): Promise<User> {
    const question: AuthorizationAttributes = {
      user: about.attributes.user,
      verb: 'impersonate:associated-node',
      isResourceRequest: true,
      path: '',
      group: 'authentication.k8s.io',
      version: 'v1',
      resource: 'nodes',
      subresource: '',
      namespace: '',
      name: '*',
    };
    const answer = await this.#authorizer.authorize(question, about.signal);
    if (answer.decision !== 'allow') throw newAuthorizationForbidden(question, answer.reason);
    return { ...wanted, groups: [nodesGroup, 'system:authenticated'] };
  }

  #remember(username: string, mode: Mode): void {
    this.#lastMode.delete(username);
    this.#lastMode.set(username, mode);
    if (this.#lastMode.size <= remembered) return;
    const oldest = this.#lastMode.keys().next();
    if (!oldest.done) this.#lastMode.delete(oldest.value);
  }
}

function applies(mode: Mode, wanted: User, requestor: User): boolean {
  const onlyName = wanted.uid === '' && wanted.groups.length === 0 && Object.keys(wanted.extra).length === 0;
  const node = nodeIdentity({ ...wanted, groups: [nodesGroup] });
  const account = splitAccountName(wanted.username);
  switch (mode) {
    case 'associated-node':
      return onlyName && node !== undefined && isOnNode(requestor, node.nodeName);
    case 'arbitrary-node':
      return onlyName && node !== undefined;
    case 'serviceaccount':
      return onlyName && account !== undefined;
    case 'user-info':
      return node === undefined && account === undefined;
    case 'legacy':
      return true;
  }
}

function isOnNode(requestor: User, nodeName: string): boolean {
  if (splitAccountName(requestor.username) === undefined) return false;
  const names = requestor.extra['authentication.kubernetes.io/node-name'] ?? [];
  return names.length === 1 && names[0] === nodeName;
}
