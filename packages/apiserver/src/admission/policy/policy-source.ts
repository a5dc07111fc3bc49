// The policies that are in force now, each with its bindings. Kept until the caches tell of a change, so that a request pays
// nothing where there are none.

import { compareBytewise, type KubeObject } from '@homeostat/machinery';
import type { Cel } from '@homeostat/api';
import type { MatchResources, ParamRef } from '@homeostat/api/types/admissionregistration-v1';
import type { AdmissionHost } from '../admission-host.ts';
import { MatchConstraints } from './match-policy.ts';

/** What policies of both sorts say. */
export interface PolicySpec {
  readonly failurePolicy?: string;
  readonly matchConstraints?: MatchResources;
}

export interface BindingSpec {
  readonly policyName?: string;
  readonly matchResources?: MatchResources;
  readonly paramRef?: ParamRef;
  readonly validationActions?: readonly string[];
}

export interface Policy<S extends PolicySpec, P> {
  readonly name: string;
  readonly spec: S;
  readonly constraints: MatchConstraints;
  readonly ignoresFailures: boolean;
  readonly bindings: readonly PolicyBinding[];
  /** Compiled on the first call. */
  readonly programs: (cel: Cel) => P;
}

export interface PolicyBinding {
  readonly name: string;
  readonly spec: BindingSpec;
  readonly constraints: MatchConstraints;
}

type Stored<S> = KubeObject & { readonly spec?: S };

const group = 'admissionregistration.k8s.io';

export interface PolicySourceOptions<S extends PolicySpec, P> {
  /** The resource of the policies; that of the bindings is named after it. */
  readonly resource: 'validatingadmissionpolicies' | 'mutatingadmissionpolicies';
  readonly compile: (cel: Cel, spec: S) => P;
}

export class PolicySource<S extends PolicySpec, P> {
  readonly #host: AdmissionHost;
  readonly #options: PolicySourceOptions<S, P>;
  #policies: readonly Policy<S, P>[] | undefined;
  #isFollowing = false;

  constructor(host: AdmissionHost, options: PolicySourceOptions<S, P>) {
    this.#host = host;
    this.#options = options;
  }

  /** By name; policies without bindings are not in force. */
  list(): readonly Policy<S, P>[] {
    return (this.#policies ??= this.#read());
  }

  #read(): readonly Policy<S, P>[] {
    const { resource, compile } = this.#options;
    const policies = this.#host.reader({ group, resource });
    const bindings = this.#host.reader({ group, resource: resource.replace('policies', 'policybindings') });
    if (!this.#isFollowing) {
      this.#isFollowing = true;
      // The caches live as long as the server, and this plugin with it.
      for (const reader of [policies, bindings]) reader.onChange(() => (this.#policies = undefined));
    }
    const byPolicy = Map.groupBy(
      (bindings.list() as readonly Stored<BindingSpec>[]).toSorted(byName),
      ({ spec }) => spec?.policyName ?? '',
    );
    return (policies.list() as readonly Stored<S>[]).toSorted(byName).flatMap((policy) => {
      const own = byPolicy.get(policy.metadata?.name ?? '') ?? [];
      return own.length === 0 || policy.spec === undefined ? [] : [policyOf(policy, policy.spec, own, compile)];
    });
  }
}

function policyOf<S extends PolicySpec, P>(
  policy: KubeObject,
  spec: S,
  bindings: readonly Stored<BindingSpec>[],
  compile: (cel: Cel, spec: S) => P,
): Policy<S, P> {
  let programs: P | undefined;
  return {
    name: policy.metadata?.name ?? '',
    spec,
    constraints: new MatchConstraints(spec.matchConstraints),
    ignoresFailures: spec.failurePolicy === 'Ignore',
    bindings: bindings.map((binding) => ({
      name: binding.metadata?.name ?? '',
      spec: binding.spec ?? {},
      constraints: new MatchConstraints(binding.spec?.matchResources),
    })),
    programs: (cel) => (programs ??= compile(cel, spec)),
  };
}

function byName(a: KubeObject, b: KubeObject): number {
  return compareBytewise(a.metadata?.name ?? '', b.metadata?.name ?? '');
}
