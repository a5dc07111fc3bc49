import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CertificateSigningRequest } from '@homeostat/api/types/certificates-v1';
import { encodeBase64, type FieldError, FieldPath, type Mutable } from '@homeostat/machinery';
import { certificateSigningRequestStrategy } from './certificate-signing-request.ts';
import { isDerSequence, readPem } from './pem.ts';
import { validateSignerName } from './signer-name.ts';

const user = { username: 'jane', groups: ['dev'], extra: {} };
const context = { nowMs: Date.UTC(2026, 0, 2), user };

function pem(type: string, bytes: readonly number[]): string {
  return `-----BEGIN ${type}-----\n${encodeBase64(Uint8Array.from(bytes))}\n-----END ${type}-----\n`;
}

function encoded(text: string): string {
  return encodeBase64(new TextEncoder().encode(text));
}

function request(more: object = {}): CertificateSigningRequest {
  return {
    metadata: { name: 'r', uid: 'u', resourceVersion: '1' },
    spec: {
      request: encoded(pem('CERTIFICATE REQUEST', [0x30, 0])),
      signerName: 'example.com/s',
      usages: ['client auth'],
    },
    ...more,
  };
}

function texts(errors: readonly FieldError[] | undefined): readonly string[] {
  return (errors ?? []).map((error) => `${error.field}: ${error.body}`);
}

test('readPem() finds the blocks between other text, and skips what is none', () => {
  const text = `hello\n-----BEGIN A-----\n-----BEGIN B-----\nMAA=\n-----END B-----\n${pem('C', [1, 2])}-----BEGIN D-----\n`;
  assert.deepEqual(
    readPem(text).map(({ type, bytes }) => [type, ...bytes]),
    [
      ['B', 0x30, 0],
      ['C', 1, 2],
    ],
  );
  assert.deepEqual(readPem('-----BEGIN A-----\n!\n-----END A-----\n'), []);
  assert.deepEqual(readPem('-----BEGIN A-----\nMAA=\n-----END B-----\n'), []);
  assert.equal(readPem('-----BEGIN A-----\nk: v\n\nMAA=\n-----END A-----')[0]?.hasHeaders, true);
});

test('readPem() takes linear time over many beginnings', () => {
  const start = performance.now();
  assert.equal(readPem(`${'-----BEGIN A-----\n'.repeat(150_000)}-----END A-----\n`).length, 1);
  assert.ok(performance.now() - start < 2_000);
});

test('isDerSequence() wants exactly one sequence', () => {
  assert.equal(isDerSequence(Uint8Array.from([0x30, 1, 9])), true);
  assert.equal(isDerSequence(Uint8Array.from([0x30, 0x81, 1, 9])), true);
  assert.equal(isDerSequence(Uint8Array.from([0x30, 1, 9, 9])), false);
  assert.equal(isDerSequence(Uint8Array.from([0x31, 0])), false);
  assert.equal(isDerSequence(Uint8Array.from([])), false);
});

test('signer names are a domain and a path', () => {
  const cases = { 'example.com/s': 0, 'example.com': 1, 'example/s': 1, 'Example.com/s': 1, '': 1 };
  for (const [name, count] of Object.entries(cases)) {
    const errors: FieldError[] = [];
    validateSignerName(name, new FieldPath('spec.signerName'), errors);
    assert.equal(errors.length, count, name);
  }
});

test('the server says who asks', () => {
  const draft = structuredClone(request()) as Mutable<CertificateSigningRequest>;
  if (draft.spec !== undefined) Object.assign(draft.spec, { username: 'root', uid: '0' });
  certificateSigningRequestStrategy.prepareForCreate?.(draft, context);
  assert.deepEqual(
    [draft.spec?.username, draft.spec?.uid, draft.spec?.groups, draft.spec?.extra],
    ['jane', undefined, ['dev'], undefined],
  );
});

test('only the approval endpoint decides, only the status endpoint certifies', () => {
  const strategy = certificateSigningRequestStrategy;
  const { approval, status } = strategy.subresources ?? {};
  const old = request();
  const approved = request({ status: { conditions: [{ type: 'Approved', status: 'True' }] } });
  assert.deepEqual(texts(approval?.validateUpdate?.(approved, old, context)), []);
  assert.deepEqual(texts(status?.validateUpdate?.(approved, old, context)), [
    'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
  ]);
  const certified = request({ status: { certificate: encoded(pem('CERTIFICATE', [0x30, 0])) } });
  assert.deepEqual(texts(status?.validateUpdate?.(certified, old, context)), []);
  assert.deepEqual(texts(approval?.validateUpdate?.(certified, old, context)), [
    'status.certificate: Forbidden: updates may not set certificate content',
  ]);
});

test('approval stamps the times of new conditions', () => {
  const draft = structuredClone(
    request({ status: { conditions: [{ type: 'Approved', status: 'True' }] } }),
  ) as Mutable<CertificateSigningRequest>;
  certificateSigningRequestStrategy.subresources?.['approval']?.prepareForUpdate?.(draft, request(), context);
  assert.deepEqual(draft.status?.conditions, [
    {
      type: 'Approved',
      status: 'True',
      lastUpdateTime: '2026-01-02T00:00:00Z',
      lastTransitionTime: '2026-01-02T00:00:00Z',
    },
  ]);
});
