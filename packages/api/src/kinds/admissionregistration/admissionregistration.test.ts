import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingWebhookConfiguration,
} from '@homeostat/api/types/admissionregistration-v1';
import { type FieldError, FieldPath, type Mutable } from '@homeostat/machinery';
import { validateRule } from './rules.ts';
import { validatingAdmissionPolicyStrategy } from './validating-admission-policy.ts';
import {
  mutatingWebhookConfigurationStrategy,
  validatingWebhookConfigurationStrategy,
} from './webhook-configuration.ts';

const context = { nowMs: 0 };
const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const webhook = {
  name: 'a.b.c',
  clientConfig: { url: 'https://h' },
  rules: [rule],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};

function texts(errors: readonly FieldError[] | undefined): readonly string[] {
  return (errors ?? []).map((error) => `${error.field}: ${error.body}`);
}

function configuration(more: object): ValidatingWebhookConfiguration {
  const draft = structuredClone({ metadata: { name: 'c' }, webhooks: [{ ...webhook, ...more }] });
  validatingWebhookConfigurationStrategy.applyDefaults?.(draft as unknown as Mutable<ValidatingWebhookConfiguration>);
  return draft as unknown as ValidatingWebhookConfiguration;
}

test('webhooks fail closed, within ten seconds, by default; only mutating ones are reinvoked', () => {
  const defaults = { failurePolicy: 'Fail', matchPolicy: 'Equivalent', timeoutSeconds: 10 };
  const selectors = { namespaceSelector: {}, objectSelector: {} };
  const rules = [{ ...rule, scope: '*' }];
  assert.deepEqual(configuration({}).webhooks, [{ ...webhook, ...defaults, ...selectors, rules }]);
  const mutating = structuredClone({ webhooks: [webhook] }) as unknown as Mutable<MutatingWebhookConfiguration>;
  mutatingWebhookConfigurationStrategy.applyDefaults?.(mutating);
  assert.equal(mutating.webhooks?.[0]?.reinvocationPolicy, 'Never');
});

test('a webhook says where it is and which versions it reads', () => {
  const check = (more: object): readonly string[] =>
    texts(validatingWebhookConfigurationStrategy.validateCreate?.(configuration(more), context));
  assert.deepEqual(check({}), []);
  assert.deepEqual(check({ clientConfig: {} }), [
    'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
  ]);
  assert.deepEqual(check({ admissionReviewVersions: ['v2'] }), [
    'webhooks[0].admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1',
  ]);
  assert.deepEqual(check({ timeoutSeconds: 31 }), [
    'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
  ]);
});

test('a rule says nothing that its wildcards say already', () => {
  const check = (more: object): readonly string[] => {
    const errors: FieldError[] = [];
    validateRule({ ...rule, ...more } as Parameters<typeof validateRule>[0], new FieldPath('r'), errors);
    return texts(errors);
  };
  assert.deepEqual(check({ resources: ['pods/*', 'services'] }), []);
  assert.deepEqual(check({ operations: ['*', 'CREATE'] }), [
    `r.operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
  ]);
  assert.deepEqual(check({ resources: ['pods/*', 'pods/log'] }), [
    `r.resources[1]: Invalid value: "pods/log": if 'pods/*' is present, must not specify pods/log`,
  ]);
  assert.deepEqual(check({ resources: ['*', 'pods'] }), [
    `r.resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`,
  ]);
});

test('a policy has constraints and something to say', () => {
  const check = (spec: object): readonly string[] => {
    const draft = structuredClone({ metadata: { name: 'p' }, spec }) as unknown as Mutable<ValidatingAdmissionPolicy>;
    validatingAdmissionPolicyStrategy.applyDefaults?.(draft);
    return texts(validatingAdmissionPolicyStrategy.validateCreate?.(draft as ValidatingAdmissionPolicy, context));
  };
  const matchConstraints = { resourceRules: [rule] };
  assert.deepEqual(check({ matchConstraints, validations: [{ expression: 'true' }] }), []);
  assert.deepEqual(check({ validations: [{ expression: 'true' }] }), ['spec.matchConstraints: Required value']);
  assert.match(check({ matchConstraints })[0] ?? '', /validations/);
});
