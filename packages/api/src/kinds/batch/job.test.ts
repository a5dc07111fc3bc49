import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '@homeostat/api/types/batch-v1';
import type { FieldError, Mutable } from '@homeostat/machinery';
import { jobStrategy } from './job.ts';

const context = { nowMs: 0 };
const metadata = { name: 'j', namespace: 'n', uid: 'u1', resourceVersion: '1', generation: 1 };
const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i:1' }] } };

function created(spec: object = {}, status?: object): Job {
  const draft = structuredClone({ metadata, spec: { template, ...spec } }) as unknown as Mutable<Job>;
  jobStrategy.applyDefaults?.(draft);
  jobStrategy.prepareForCreate?.(draft, context);
  return { ...draft, ...(status === undefined ? {} : { status }) } as Job;
}

function texts(errors: readonly FieldError[] | undefined): readonly string[] {
  return (errors ?? []).map((error) => `${error.field}: ${error.body}`);
}

test('a Job selects its Pods by its own uid, and shows the labels it gave them', () => {
  const job = created();
  assert.deepEqual(job.spec?.selector, { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u1' } });
  assert.equal(job.spec?.template?.metadata?.labels?.['job-name'], 'j');
  assert.deepEqual(job.metadata?.labels, job.spec?.template?.metadata?.labels);
  assert.deepEqual(texts(jobStrategy.validateCreate?.(job, context)), []);
});

test('a Job whose selector is set by hand is left alone', () => {
  const labels = { app: 'j' };
  const job = created({
    manualSelector: true,
    selector: { matchLabels: labels },
    template: { ...template, metadata: { labels } },
  });
  assert.deepEqual(job.spec?.selector, { matchLabels: labels });
  assert.deepEqual(texts(jobStrategy.validateCreate?.(job, context)), []);
});

test('a suspended Job may change where its Pods go and what they ask for, but not what they run', () => {
  const old = created({ suspend: true });
  const change = (edit: (job: Mutable<Job>) => void): readonly string[] => {
    const job = structuredClone(old) as Mutable<Job>;
    edit(job);
    return texts(jobStrategy.validateUpdate?.(job as Job, old, context));
  };
  const allowed = change((job) => {
    const spec = job.spec?.template?.spec;
    if (spec === undefined) return;
    spec.nodeSelector = { a: 'b' };
    if (spec.containers[0] !== undefined) spec.containers[0].resources = { limits: { cpu: '1' } };
  });
  assert.deepEqual(allowed, []);
  const image = change((job) => {
    const container = job.spec?.template?.spec?.containers[0];
    if (container !== undefined) container.image = 'other';
  });
  assert.match(image[0] ?? '', /^spec\.template\.spec: Invalid value: .*: field is immutable$/);
});

test('the template of a running Job is immutable as a whole', () => {
  const old = created();
  const job = structuredClone(old) as Mutable<Job>;
  if (job.spec?.template?.spec !== undefined) job.spec.template.spec.nodeSelector = { a: 'b' };
  assert.match(
    texts(jobStrategy.validateUpdate?.(job as Job, old, context))[0] ?? '',
    /^spec\.template: Invalid value/,
  );
});

test('an Indexed Job scales completions and parallelism together', () => {
  const old = created({ completionMode: 'Indexed', completions: 2, parallelism: 2 });
  const scale = (completions: number, parallelism: number): readonly string[] => {
    const job = structuredClone(old) as Mutable<Job>;
    Object.assign(job.spec ?? {}, { completions, parallelism });
    return texts(jobStrategy.validateUpdate?.(job as Job, old, context));
  };
  assert.deepEqual(scale(4, 4), []);
  assert.deepEqual(scale(4, 2), [
    'spec.completions: Invalid value: 4: can only be modified in tandem with spec.parallelism',
  ]);
});

test("a Job's status announces no end that did not happen", () => {
  const status = jobStrategy.subresources?.['status'];
  const old = created({}, { active: 1, succeeded: 2, startTime: '2024-01-02T03:04:05Z' });
  const update = (next: object): readonly string[] =>
    texts(status?.validateUpdate?.({ ...old, status: { ...old.status, ...next } } as Job, old, context));
  assert.deepEqual(update({ succeeded: 1 }), [
    'status.succeeded: Invalid value: 1: cannot decrease the succeeded counter',
  ]);
  assert.deepEqual(update({ conditions: [{ type: 'Complete', status: 'True' }] }), [
    'status.completionTime: Required value: completionTime is required for Complete jobs',
    'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
    'status.active: Invalid value: 1: active>0 is invalid for finished job',
  ]);
});
