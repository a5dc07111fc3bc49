// TokenReview: whose is this token (spec/apiserver.md §16). Asked by kubelets, webhooks and API servers behind this one.

import type { TokenReview } from '@homeostat/api/types/authentication-v1';
import { type KubeObject, newBadRequest } from '@homeostat/machinery';
import type { User } from '../../server/user.ts';
import type { VirtualRequest, VirtualResource } from '../../server/virtual-resource.ts';
import type { BearerTokens } from '../bearer-tokens.ts';
import { TokenError } from '../token-authenticator.ts';
import { withAuthenticatedGroup } from '../union-authenticator.ts';

export function createTokenReview(tokens: BearerTokens, audiences: readonly string[]): VirtualResource {
  return {
    group: 'authentication.k8s.io',
    resource: 'tokenreviews',
    async create(request: VirtualRequest): Promise<KubeObject> {
      const review = request.object as unknown as TokenReview;
      const token = review.spec?.token ?? '';
      if (token === '') throw newBadRequest('token is required for TokenReview in authentication');
      const asked = review.spec?.audiences ?? [];
      return {
        ...review,
        status: await reviewStatus(tokens, token, asked.length === 0 ? audiences : asked),
      } as KubeObject;
    },
  };
}

async function reviewStatus(tokens: BearerTokens, token: string, audiences: readonly string[]): Promise<unknown> {
  try {
    const identity = await tokens.identify(token, audiences);
    const user = toUserInfo(withAuthenticatedGroup(identity.user));
    return { authenticated: true, user, audiences: identity.audiences };
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    return { user: {}, error: error.message };
  }
}

/** UserInfo as the wire has it: what is empty is left out. */
export function toUserInfo({ username, uid, groups, extra }: User): Record<string, unknown> {
  return {
    username,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
