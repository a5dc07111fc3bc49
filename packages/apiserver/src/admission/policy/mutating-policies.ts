// MutatingAdmissionPolicy: changes that the cluster's owners write in CEL, as configurations to merge or as JSON patches. Policies
// run one after another, each sees what the ones before it changed; a second round follows for those that ask for it.

import type { Cel } from '@homeostat/api';
import type { MutatingAdmissionPolicySpec } from '@homeostat/api/types/admissionregistration-v1';
import { ApiError } from '@homeostat/base';
import {
  applyJsonPatch,
  decodeJsonPatch,
  deepEqual,
  type Json,
  type KubeObject,
  mergeConfiguration,
} from '@homeostat/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { newAdmissionForbidden } from '../admission-forbidden.ts';
import { type AdmissionHost, isOwnStart } from '../admission-host.ts';
import { Asking } from '../authorization-questions.ts';
import { describeRequest } from '../webhook/admission-review.ts';
import { guardManagedFields } from '../webhook/managed-fields-guard.ts';
import type { MatchedResource } from '../webhook/match-resource.ts';
import { ReinvokedWebhooks } from '../webhook/reinvoked-webhooks.ts';
import { VersionedObjects } from '../webhook/versioned-objects.ts';
import { conditionsHold, policyCostBudget, type PolicyInput, PolicyRun } from './evaluate-policy.ts';
import { isPolicy } from './policy-kinds.ts';
import { policyNamespace } from './policy-namespace.ts';
import { paramsOf } from './policy-params.ts';
import { type CompiledMutation, compileMutations, type MutationPrograms } from './policy-programs.ts';
import { type Policy, type PolicyBinding, PolicySource } from './policy-source.ts';

type MutatingPolicy = Policy<MutatingAdmissionPolicySpec, MutationPrograms>;

export class MutatingAdmissionPolicyPlugin implements AdmissionPlugin {
  readonly name = 'MutatingAdmissionPolicy';
  readonly #host: AdmissionHost;
  readonly #source: PolicySource<MutatingAdmissionPolicySpec, MutationPrograms>;

  constructor(host: AdmissionHost) {
    this.#host = host;
    this.#source = new PolicySource(host, { resource: 'mutatingadmissionpolicies', compile: compileMutations });
  }

  handles(): boolean {
    return true;
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    const policies = this.#source.list();
    if (policies.length === 0 || attributes.object === undefined || isPolicy(attributes.kind)) return;
    if (isOwnStart(this.#host, attributes)) return;
    const { reinvocation } = attributes;
    const reinvoked = reinvocation.state(this.name, () => new ReinvokedWebhooks());
    if (reinvocation.round === 1 && reinvoked.isChangedSince(attributes.object)) reinvoked.changed();
    const restore = guardManagedFields(attributes);
    for (const policy of policies) {
      for (const binding of policy.bindings) {
        const uid = `${policy.name}/${binding.name}`;
        if (reinvocation.round === 1 && !reinvoked.runsAgain(uid)) continue;
        if (await this.#apply(policy, binding, attributes)) {
          reinvoked.changed();
          reinvocation.request();
        }
        if (policy.spec.reinvocationPolicy === 'IfNeeded') reinvoked.called(uid);
      }
    }
    restore();
    reinvoked.roundDone(attributes.object);
  }

  /** Whether the object changed. @throws ApiError 403 when a mutation fails and the policy is to fail */
  async #apply(policy: MutatingPolicy, binding: PolicyBinding, attributes: AdmissionAttributes): Promise<boolean> {
    try {
      const matched = await policy.constraints.match(attributes, this.#host);
      if (matched === undefined || (await binding.constraints.match(attributes, this.#host)) === undefined)
        return false;
      return await this.#mutate(policy, binding, attributes, matched);
    } catch (error) {
      if (policy.ignoresFailures) return false;
      throw denied(attributes, policy, binding, error);
    }
  }

  async #mutate(
    policy: MutatingPolicy,
    binding: PolicyBinding,
    attributes: AdmissionAttributes,
    matched: MatchedResource,
  ): Promise<boolean> {
    const host = this.#host;
    const cel = await import('@homeostat/machinery/cel');
    const { namespace, signal } = attributes;
    const sets = await paramsOf(policy.spec.paramKind, binding.spec.paramRef, namespace, { host, signal });
    const namespaceObject = await policyNamespace(attributes, host);
    const programs = policy.programs(cel);
    const asking = new Asking(host.authorizer, attributes);
    let changed = false;
    for (const params of sets) {
      for (const mutation of programs.mutations) {
        // Each mutation sees what the one before it made.
        const objects = new VersionedObjects(host.resources, attributes);
        const input: PolicyInput = {
          object: present(objects.object(matched.kind)),
          oldObject: present(objects.oldObject(matched.kind)),
          request: describeRequest(attributes, matched),
          params,
          namespaceObject,
          resource: resourceOf(attributes),
          asking,
        };
        const { holds, problem } = await conditionsHold(cel, programs, input);
        if (!holds) break;
        if (problem !== undefined) throw new Error(problem);
        const made = await make(cel, programs, mutation, input);
        const document = merge(mutation, input.object as Json, made, () => objects.schemaOf(matched.kind));
        objects.replace(objects.read(document, matched.kind), matched.kind);
        changed ||= !deepEqual(input.object, objects.object(matched.kind));
      }
    }
    return changed;
  }
}

async function make(
  cel: Cel,
  programs: MutationPrograms,
  mutation: CompiledMutation,
  input: PolicyInput,
): Promise<Json> {
  const run = new PolicyRun(cel, programs, input, policyCostBudget);
  const result = await run.evaluate(mutation.value);
  if (result.error !== undefined) throw new Error(result.error);
  return cel.toJson(result.value) as Json;
}

function merge(
  { patchType }: CompiledMutation,
  object: Json,
  made: Json,
  schema: () => Parameters<typeof mergeConfiguration>[0],
): Json {
  if (patchType === 'ApplyConfiguration') return mergeConfiguration(schema(), object, made);
  try {
    return applyJsonPatch(object, decodeJsonPatch(made, false));
  } catch (error) {
    throw new Error(`JSON Patch: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function resourceOf({ resource, subresource, namespace, name }: AdmissionAttributes): PolicyInput['resource'] {
  return { group: resource.group, resource: resource.resource, subresource, namespace, name };
}

/** The code says forbidden, the reason invalid: so does upstream. */
function denied(
  attributes: AdmissionAttributes,
  policy: MutatingPolicy,
  binding: PolicyBinding,
  error: unknown,
): ApiError {
  const text = error instanceof Error ? error.message : String(error);
  const message = `policy '${policy.name}' with binding '${binding.name}' denied request: ${text}`;
  const { code, details } = newAdmissionForbidden(attributes, message);
  return new ApiError({
    code,
    reason: 'Invalid',
    message,
    details: { ...details, causes: [{ message }] },
    cause: error,
  });
}

function present(object: KubeObject | undefined): KubeObject | null {
  return object ?? null;
}
