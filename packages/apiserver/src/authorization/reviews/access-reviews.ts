// SubjectAccessReview, LocalSubjectAccessReview and SelfSubjectAccessReview: may this subject do that
// (spec/apiserver.md §17). Nothing is stored.

import { type KubeObject, newBadRequest, newInvalid } from '@homeostat/machinery';
import type { Authorizer } from '../../server/authorizer.ts';
import type { VirtualRequest, VirtualResource } from '../../server/virtual-resource.ts';
import {
  type AccessReview,
  type AccessReviewForm,
  reviewedUser,
  toQuestion,
  validateAccessReview,
} from './access-review-spec.ts';

const group = 'authorization.k8s.io';

const resources: Readonly<Record<AccessReviewForm, string>> = {
  subject: 'subjectaccessreviews',
  local: 'localsubjectaccessreviews',
  self: 'selfsubjectaccessreviews',
};

export function createAccessReviews(authorizer: Authorizer): readonly VirtualResource[] {
  return (['subject', 'local', 'self'] as const).map((form) => ({
    group,
    resource: resources[form],
    create: (request: VirtualRequest) => review(authorizer, form, request),
  }));
}

async function review(authorizer: Authorizer, form: AccessReviewForm, request: VirtualRequest): Promise<KubeObject> {
  const object = request.object as AccessReview;
  if (form === 'local') checkNamespace(object, request.namespace);
  const errors = validateAccessReview(object, form);
  if (errors.length > 0) throw newInvalid({ group, kind: '' }, '', errors);
  const spec = object.spec ?? {};
  const user = form === 'self' ? request.context.user : reviewedUser(spec);
  const question = toQuestion(spec, user);
  const answer = await authorizer.authorize(question.attributes, request.context.signal);
  const evaluationError = [question.error, answer.error].filter((text) => text !== undefined).join(', ');
  return {
    ...object,
    status: {
      allowed: answer.decision === 'allow',
      ...(answer.decision === 'deny' ? { denied: true } : {}),
      ...(answer.reason ? { reason: answer.reason } : {}),
      ...(evaluationError === '' ? {} : { evaluationError }),
    },
  } as KubeObject;
}

function checkNamespace(review: AccessReview, namespace: string): void {
  if ((review.metadata?.namespace ?? '') !== namespace) {
    throw newBadRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
  }
}
