// Adopting and letting go of children, for any kind: merge patches of the whole list of owners against the version that was read. Before
// anything is adopted the parent is read live: a cache may still show one that was deleted and recreated.

import type { KubeObject } from '@homeostat/machinery';
import type { Outcome, PatchAction, Plan } from '../controller/plan.ts';
import { type Owner, removeOwnerReference, setControllerReference } from '../objects/owner-references.ts';
import type { ChildKind } from './children-definition.ts';
import type { Claim } from './claim.ts';

/** The claims of one kind. */
export interface KindClaim {
  readonly kind: ChildKind;
  readonly claim: Claim<KubeObject>;
}

/** The plan that carries claims out, and ends. */
export function claimPlan(owner: Owner, claims: readonly KindClaim[]): Plan {
  const patches = (adopt: boolean): readonly PatchAction[] =>
    claims.flatMap(({ kind, claim }) => [
      ...(adopt
        ? claim.adopt.map((child) => patchAction(kind, child, setControllerReference(child, owner), 'Adopt'))
        : []),
      ...claim.release.map((child) => patchAction(kind, child, removeOwnerReference(child, owner), 'Release')),
    ]);
  const orphans = claims.reduce((count, { claim }) => count + claim.adopt.length, 0);
  if (orphans === 0) return { steps: [{ mode: 'parallel', actions: patches(false) }] };
  const { namespace, name = '' } = owner.object.metadata ?? {};
  return {
    steps: [
      {
        actions: [
          {
            verb: 'get',
            resource: owner.resource,
            name,
            ...(namespace === undefined ? {} : { namespace }),
            reason: 'RecheckOwner',
            facts: { orphans },
          },
        ],
      },
    ],
    next: (outcomes) =>
      isStill(owner.object, outcomes[0])
        ? { steps: [{ mode: 'parallel', actions: patches(true) }] }
        : {
            steps: [],
            failure: { reason: 'OwnerGone', message: `${name} is being deleted, or is another object by now` },
          },
  };
}

function patchAction(kind: ChildKind, child: KubeObject, changed: KubeObject, reason: string): PatchAction {
  const { namespace, name = '', uid = '', resourceVersion = '' } = child.metadata ?? {};
  const ownerReferences = changed.metadata?.ownerReferences?.map((reference) => ({ ...reference })) ?? [];
  return {
    verb: 'patch',
    patchType: 'merge',
    resource: kind.resource,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    patch: { metadata: { uid, resourceVersion, ownerReferences } },
    tolerates: ['NotFound'],
    reason,
    facts: { child: name },
  };
}

function isStill(owner: KubeObject, outcome: Outcome | undefined): boolean {
  const live = outcome?.status === 'done' ? outcome.object?.metadata : undefined;
  return live?.uid !== undefined && live.uid === owner.metadata?.uid && live.deletionTimestamp === undefined;
}
