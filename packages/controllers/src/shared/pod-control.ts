// Pods as controllers make and delete them (spec/workloads.md §1.6): from a template, with a controller reference,
// announced by events on the owner.

import type { Pod, PodTemplateSpec } from '@homeostat/api/types/core-v1';
import type { ResourceType } from '@homeostat/client';
import { pods } from '@homeostat/client/resources';
import type { KubeObject } from '@homeostat/machinery';
import type { CreateAction, DeleteAction, EventAction } from '@homeostat/runtime';
import { isNamespaceTerminating } from './api-problem.ts';
import { controllerReference, inNamespace } from './controller-ref.ts';

/** Most pods that one sync creates or deletes. */
export const burstReplicas = 500;

/** Why and on which facts, for actions made here. */
export interface ActionReason {
  readonly reason: string;
  readonly facts: CreateAction['facts'];
}

/** Creates one pod of `template` for `owner`. */
export function createPodAction(
  owner: KubeObject,
  ownerResource: ResourceType,
  template: PodTemplateSpec,
  why: ActionReason,
): CreateAction {
  return {
    verb: 'create',
    resource: pods,
    ...inNamespace(owner),
    object: podFromTemplate(owner, ownerResource, template),
    ...why,
    announce: (outcome) => {
      if (outcome.status === 'done') {
        return [event(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${outcome.object?.metadata?.name ?? ''}`)];
      }
      if (isNamespaceTerminating(outcome.error)) return [];
      return [event(owner, 'Warning', 'FailedCreate', `Error creating: ${outcome.error.message}`)];
    },
  };
}

/** Deletes one pod of `owner`; a pod that is gone already counts as deleted, without an event. */
export function deletePodAction(owner: KubeObject, pod: Pod, why: ActionReason): DeleteAction {
  const name = pod.metadata?.name ?? '';
  return {
    verb: 'delete',
    resource: pods,
    ...inNamespace(pod),
    name,
    preconditions: { uid: pod.metadata?.uid ?? '' },
    tolerates: ['NotFound'],
    ...why,
    announce: (outcome) => {
      if (outcome.status === 'failed')
        return [event(owner, 'Warning', 'FailedDelete', `Error deleting: ${outcome.error.message}`)];
      return outcome.error === undefined ? [event(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`)] : [];
    },
  };
}

/** The pod object of a template; `generateName` loses its dash where `<name>-` would not be a legal prefix. */
export function podFromTemplate(owner: KubeObject, ownerResource: ResourceType, template: PodTemplateSpec): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const name = owner.metadata?.name ?? '';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: name.endsWith('.') ? name : `${name}-`,
      ...inNamespace(owner),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(owner, ownerResource)],
    },
    ...(template.spec === undefined ? {} : { spec: template.spec }),
  } as Pod;
}

/** An event on `regarding`, as an action. */
export function event(regarding: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): EventAction {
  return { verb: 'event', regarding, event: { type, reason, message }, reason, facts: {} };
}
