// ValidatingAdmissionPolicy: rules in CEL that the cluster's owners write, bound to where they hold, and what follows from a
// violation: refusal, warning, audit annotation (spec/apiserver.md §15.4).

import type { Cel } from '@homeostat/api';
import type { ValidatingAdmissionPolicySpec } from '@homeostat/api/types/admissionregistration-v1';
import { ApiError } from '@homeostat/base';
import { type KubeObject } from '@homeostat/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { newAdmissionForbidden } from '../admission-forbidden.ts';
import { type AdmissionHost, isOwnStart } from '../admission-host.ts';
import { Asking } from '../authorization-questions.ts';
import { describeRequest } from '../webhook/admission-review.ts';
import type { MatchedResource } from '../webhook/match-resource.ts';
import { VersionedObjects } from '../webhook/versioned-objects.ts';
import { isPolicy } from './policy-kinds.ts';
import { evaluatePolicy, type Violation } from './evaluate-policy.ts';
import { paramsOf } from './policy-params.ts';
import { compilePolicy, type PolicyPrograms } from './policy-programs.ts';
import { type Policy, type PolicyBinding, PolicySource } from './policy-source.ts';
import { policyNamespace } from './policy-namespace.ts';

const codes: Readonly<Record<string, number>> = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413 };
const codeDefault = 422;

type ValidatingPolicy = Policy<ValidatingAdmissionPolicySpec, PolicyPrograms>;

/** A violation and whose it is. */
interface Denial {
  readonly policy: ValidatingPolicy;
  readonly binding: PolicyBinding | undefined;
  readonly violation: Violation;
}

export class ValidatingAdmissionPolicyPlugin implements AdmissionPlugin {
  readonly name = 'ValidatingAdmissionPolicy';
  readonly #host: AdmissionHost;
  readonly #source: PolicySource<ValidatingAdmissionPolicySpec, PolicyPrograms>;

  constructor(host: AdmissionHost) {
    this.#host = host;
    this.#source = new PolicySource(host, { resource: 'validatingadmissionpolicies', compile: compilePolicy });
  }

  handles(): boolean {
    return true;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const policies = this.#source.list();
    if (policies.length === 0 || isPolicy(attributes.kind)) return;
    if (isOwnStart(this.#host, attributes)) return;
    const judging = new Judging(this.#host, attributes);
    for (const policy of policies) await judging.judge(policy);
    judging.conclude();
  }
}

/** One request before all policies. */
class Judging {
  readonly #host: AdmissionHost;
  readonly #attributes: AdmissionAttributes;
  readonly #objects: VersionedObjects;
  readonly #asking: Asking;
  readonly #denials: Denial[] = [];
  readonly #audited: Record<string, unknown>[] = [];

  constructor(host: AdmissionHost, attributes: AdmissionAttributes) {
    this.#host = host;
    this.#attributes = attributes;
    this.#objects = new VersionedObjects(host.resources, attributes);
    this.#asking = new Asking(host.authorizer, attributes);
  }

  async judge(policy: ValidatingPolicy): Promise<void> {
    let matched: MatchedResource | undefined;
    try {
      matched = await policy.constraints.match(this.#attributes, this.#host);
    } catch (error) {
      this.#misconfigured(policy, undefined, error);
      return;
    }
    if (matched === undefined) return;
    const cel = await import('@homeostat/machinery/cel');
    for (const binding of policy.bindings) {
      try {
        if ((await binding.constraints.match(this.#attributes, this.#host)) === undefined) continue;
        await this.#judgeBinding(cel, policy, binding, matched);
      } catch (error) {
        this.#misconfigured(policy, binding, error);
      }
    }
  }

  async #judgeBinding(
    cel: Cel,
    policy: ValidatingPolicy,
    binding: PolicyBinding,
    matched: MatchedResource,
  ): Promise<void> {
    const { namespace, signal, resource, subresource, name } = this.#attributes;
    const sets = await paramsOf(policy.spec.paramKind, binding.spec.paramRef, namespace, { host: this.#host, signal });
    const namespaceObject = await policyNamespace(this.#attributes, this.#host);
    for (const params of sets) {
      const outcome = await evaluatePolicy(cel, policy.programs(cel), {
        object: present(this.#objects.object(matched.kind)),
        oldObject: present(this.#objects.oldObject(matched.kind)),
        request: describeRequest(this.#attributes, matched),
        params,
        namespaceObject,
        resource: { group: resource.group, resource: resource.resource, subresource, namespace, name },
        asking: this.#asking,
      });
      if (outcome === undefined) continue;
      for (const violation of outcome.violations) this.#violated(policy, binding, violation);
      for (const { key, value } of outcome.annotations) this.#attributes.addAnnotation(`${policy.name}/${key}`, value);
    }
  }

  #violated(policy: ValidatingPolicy, binding: PolicyBinding, violation: Violation): void {
    if (violation.isFailure && policy.ignoresFailures) return;
    const actions: readonly string[] = binding.spec.validationActions ?? [];
    if (actions.includes('Deny')) this.#denials.push({ policy, binding, violation });
    if (actions.includes('Audit')) {
      const { message } = violation;
      this.#audited.push({ message, policy: policy.name, binding: binding.name, validationActions: actions });
    }
    if (actions.includes('Warn')) {
      const whose = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
      this.#attributes.addWarning(`Validation failed for ${whose}: ${violation.message}`);
    }
  }

  #misconfigured(policy: ValidatingPolicy, binding: PolicyBinding | undefined, error: unknown): void {
    if (policy.ignoresFailures) return;
    const text = error instanceof Error ? error.message : String(error);
    const message = `failed to configure ${binding === undefined ? 'policy' : 'binding'}: ${text}`;
    this.#denials.push({ policy, binding, violation: { message, reason: '', isFailure: true } });
  }

  /** @throws ApiError for the first denial */
  conclude(): void {
    if (this.#audited.length > 0) {
      this.#attributes.addAnnotation(
        'validation.policy.admission.k8s.io/validation_failure',
        JSON.stringify(this.#audited),
      );
    }
    const [denial] = this.#denials;
    if (denial !== undefined) throw denied(this.#attributes, denial);
  }
}

function denied(attributes: AdmissionAttributes, { policy, binding, violation }: Denial): ApiError {
  const bound = binding === undefined ? '' : ` with binding '${binding.name}'`;
  const text = `ValidatingAdmissionPolicy '${policy.name}'${bound} denied request: ${violation.message}`;
  const forbidden = newAdmissionForbidden(attributes, text);
  const reason = violation.reason === '' ? 'Invalid' : violation.reason;
  return new ApiError({
    code: codes[reason] ?? codeDefault,
    reason,
    message: forbidden.message,
    details: { ...forbidden.details, causes: [...(forbidden.details?.causes ?? []), { message: text }] },
  });
}

function present(object: KubeObject | undefined): KubeObject | null {
  return object ?? null;
}
