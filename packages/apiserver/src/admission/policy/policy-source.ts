// The policies that are in force now, each with its bindings. Kept until the caches tell of a change, so that a request pays
// nothing where there are none.

import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@homeostat/api/types/admissionregistration-v1';
import type { Cel } from '@homeostat/api';
import { compareBytewise } from '@homeostat/machinery';
import type { AdmissionHost } from '../admission-host.ts';
import { MatchConstraints } from './match-policy.ts';
import { compilePolicy, type PolicyPrograms } from './policy-programs.ts';

export interface Policy {
  readonly name: string;
  readonly policy: ValidatingAdmissionPolicy;
  readonly constraints: MatchConstraints;
  readonly ignoresFailures: boolean;
  readonly bindings: readonly PolicyBinding[];
  /** Compiled on the first call. */
  readonly programs: (cel: Cel) => PolicyPrograms;
}

export interface PolicyBinding {
  readonly name: string;
  readonly binding: ValidatingAdmissionPolicyBinding;
  readonly constraints: MatchConstraints;
}

const group = 'admissionregistration.k8s.io';

export class PolicySource {
  readonly #host: AdmissionHost;
  #policies: readonly Policy[] | undefined;
  #isFollowing = false;

  constructor(host: AdmissionHost) {
    this.#host = host;
  }

  /** By name; policies without bindings are not in force. */
  list(): readonly Policy[] {
    return (this.#policies ??= this.#read());
  }

  #read(): readonly Policy[] {
    const policies = this.#host.reader({ group, resource: 'validatingadmissionpolicies' });
    const bindings = this.#host.reader({ group, resource: 'validatingadmissionpolicybindings' });
    if (!this.#isFollowing) {
      this.#isFollowing = true;
      // The caches live as long as the server, and this plugin with it.
      for (const reader of [policies, bindings]) reader.onChange(() => (this.#policies = undefined));
    }
    const byPolicy = Map.groupBy(
      (bindings.list() as readonly ValidatingAdmissionPolicyBinding[]).toSorted(byName),
      ({ spec }) => spec?.policyName ?? '',
    );
    return (policies.list() as readonly ValidatingAdmissionPolicy[]).toSorted(byName).flatMap((policy) => {
      const own = byPolicy.get(policy.metadata?.name ?? '') ?? [];
      return own.length === 0 ? [] : [policyOf(policy, own)];
    });
  }
}

function policyOf(policy: ValidatingAdmissionPolicy, bindings: readonly ValidatingAdmissionPolicyBinding[]): Policy {
  const spec = policy.spec ?? {};
  let programs: PolicyPrograms | undefined;
  return {
    name: policy.metadata?.name ?? '',
    policy,
    constraints: new MatchConstraints(spec.matchConstraints),
    ignoresFailures: spec.failurePolicy === 'Ignore',
    bindings: bindings.map((binding) => ({
      name: binding.metadata?.name ?? '',
      binding,
      constraints: new MatchConstraints(binding.spec?.matchResources),
    })),
    programs: (cel) => (programs ??= compilePolicy(cel, spec)),
  };
}

function byName(a: ValidatingAdmissionPolicyBinding | ValidatingAdmissionPolicy, b: typeof a): number {
  return compareBytewise(a.metadata?.name ?? '', b.metadata?.name ?? '');
}
