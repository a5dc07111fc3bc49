// Comparing: every recorded answer equals itself, whatever is harmless may differ, and nothing else may.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareAnswer } from './compare-answer.ts';
import { Comparison, type Difference } from './compare.ts';
import { isCompared, loadRecordings, type Answer, type Recording, type Step } from './recording.ts';

const recordings = loadRecordings([]);

function comparisonFor({ needs = [] }: Pick<Recording, 'needs'>): Comparison {
  return new Comparison({ controllersRun: needs.some((component) => component !== 'apiserver') });
}

/** Differences of answers given in turn; the recording is made up of what is expected. */
function compareBodies(...pairs: readonly (readonly [expected: unknown, actual: unknown])[]): Difference[] {
  const comparison = comparisonFor({});
  return pairs.flatMap(([expected, actual]) =>
    compareAnswer(comparison, { answer: { body: expected } }, { body: actual }),
  );
}

function assertEqual(...pairs: readonly (readonly [unknown, unknown])[]): void {
  assert.deepEqual(compareBodies(...pairs), []);
}

function assertDiffers(...pairs: readonly (readonly [unknown, unknown])[]): void {
  assert.ok(compareBodies(...pairs).length > 0, 'no difference was found');
}

function compareKubectl(expected: Answer, actual: Answer, step: Partial<Step> = {}): Difference[] {
  return compareAnswer(comparisonFor({}), { do: 'kubectl', ...step, answer: expected }, actual);
}

const uidA = '11111111-aaaa-4aaa-8aaa-111111111111';
const uidB = '22222222-bbbb-4bbb-8bbb-222222222222';
const uidC = '33333333-cccc-4ccc-8ccc-333333333333';

describe('recorded answers', () => {
  it('equal themselves', () => {
    let compared = 0;
    for (const recording of recordings) {
      const comparison = comparisonFor(recording);
      for (const [index, step] of recording.steps.entries()) {
        if (!isCompared(step)) continue;
        compared++;
        assert.deepEqual(compareAnswer(comparison, step, step.answer), [], `${recording.name} step ${index + 1}`);
      }
    }
    assert.ok(compared > 5000, `only ${compared} answers were compared`);
  });

  it('do not equal nothing', () => {
    for (const recording of recordings.slice(0, 60)) {
      const comparison = comparisonFor(recording);
      for (const step of recording.steps.filter(isCompared)) {
        const found = compareAnswer(comparison, step, { error: 'socket hang up' });
        const isHangUp = step.answer.error === 'socket hang up';
        assert.equal(found.length > 0, !isHangUp, `${recording.name}: ${step.path}`);
      }
    }
  });
});

describe('what may differ', () => {
  it('uids, as long as the same one stands for the same one', () => {
    assertEqual([{ uid: uidA }, { uid: uidB }], [{ owner: uidA }, { owner: uidB }]);
    assertDiffers([{ uid: uidA }, { uid: uidB }], [{ owner: uidA }, { owner: uidC }]);
    assertDiffers([
      { a: uidA, b: uidB },
      { a: uidC, b: uidC },
    ]);
  });

  it('uids in the keys of managedFields', () => {
    const owned = (uid: string): unknown => ({ [`k:{"uid":"${uid}"}`]: {} });
    assertEqual([{ uid: uidA }, { uid: uidB }], [owned(uidA), owned(uidB)]);
    assertDiffers([{ uid: uidA }, { uid: uidB }], [owned(uidA), owned(uidC)]);
  });

  it('resource versions of objects, as long as their order and equality hold', () => {
    const object = (resourceVersion: string): unknown => ({ uid: uidA, resourceVersion });
    assertEqual([object('5'), object('70')], [object('9'), object('71')], [object('5'), object('70')]);
    assertDiffers([object('5'), object('70')], [object('9'), object('70')]);
    assertDiffers([object('5'), object('70')], [object('9'), object('69')]);
    assertDiffers([object('5'), object('70')], [object('5'), object('71')]);
    assertDiffers([object('5'), object('')]);
    assertDiffers([object('0'), object('1')]);
  });

  it('times, as long as they have the same form', () => {
    assertEqual([{ t: '2026-01-01T00:00:00Z' }, { t: '2026-02-03T04:05:06Z' }]);
    assertDiffers([{ t: '2026-01-01T00:00:00Z' }, { t: '2026-02-03T04:05:06.123456Z' }]);
    assertDiffers([{ t: '2026-01-01T00:00:00Z' }, { t: '2026-01-01T00:00:00+01:00' }]);
    assertDiffers([{ t: '2026-01-01T00:00:00Z' }, { t: null }]);
  });

  it('generated names, as long as the base is the same', () => {
    const object = (name: string, generateName = 'web-'): unknown => ({ metadata: { generateName, name } });
    assertEqual([object('web-abcde'), object('web-xyz12')]);
    assertEqual(
      [object('web-abcde'), object('web-xyz12')],
      [{ m: 'pod web-abcde is gone' }, { m: 'pod web-xyz12 is gone' }],
    );
    assertDiffers([object('web-abcde'), object('web-xyz1')]);
    assertDiffers([object('web-abcde'), object('api-xyz12')]);
  });

  it('allocated addresses and node ports', () => {
    assertEqual([
      { clusterIP: '10.0.0.7', nodePort: 30001 },
      { clusterIP: '10.0.0.200', nodePort: 32000 },
    ]);
    assertDiffers([{ clusterIP: '10.0.0.7' }, { clusterIP: '10.0.1.7' }]);
    assertDiffers([{ nodePort: 30001 }, { nodePort: 29999 }]);
  });

  it('continue tokens, but not whether there is one', () => {
    assertEqual([{ continue: 'abc' }, { continue: 'xyz' }]);
    assertDiffers([{ continue: 'abc' }, { continue: '' }]);
    assertDiffers([{ continue: '' }, { continue: 'abc' }]);
  });

  it('tokens, but not their claims', () => {
    const token = (claims: unknown, signature: string): string =>
      [{ alg: 'RS256', kid: signature }, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.') + `.${signature}`;
    assertEqual([{ token: token({ aud: ['a'], exp: 1 }, 'x') }, { token: token({ aud: ['a'], exp: 2 }, 'y') }]);
    assertDiffers([{ token: token({ aud: ['a'] }, 'x') }, { token: token({ aud: ['b'] }, 'y') }]);
  });

  it('the order of managedFields that a second decided, if each is right for its own times', () => {
    const entry = (manager: string, time: string): unknown => ({ manager, operation: 'Update', time });
    const early = '2026-01-01T00:00:00Z';
    const late = '2026-01-01T00:00:01Z';
    const recorded = { managedFields: [entry('a', early), entry('b', early)] };
    assertEqual([recorded, { managedFields: [entry('b', early), entry('a', late)] }]);
    assertDiffers([recorded, { managedFields: [entry('b', late), entry('a', early)] }]);
    assertDiffers([recorded, { managedFields: [entry('b', early), entry('c', late)] }]);
  });
});

describe('what may not differ', () => {
  it('values, types, fields, order and length', () => {
    assertDiffers([{ a: 1 }, { a: 2 }]);
    assertDiffers([{ a: 1 }, { a: '1' }]);
    assertDiffers([{ a: true }, { a: false }]);
    assertDiffers([{ a: null }, {}]);
    assertDiffers([{}, { a: null }]);
    assertDiffers([{ a: {} }, { a: [] }]);
    assertDiffers([{ a: [1, 2] }, { a: [2, 1] }]);
    assertDiffers([{ a: [1, 2] }, { a: [1, 2, 3] }]);
    assertDiffers([{ a: '' }, {}]);
  });

  it('the text around what may differ', () => {
    const message = (version: string, verb: string): unknown => ({ m: `resource version ${version} ${verb} too old` });
    assertEqual([message('5', 'is'), message('70', 'is')]);
    assertDiffers([message('5', 'is'), message('70', 'was')]);
  });

  it('how often a container was restarted, but how long ago may', () => {
    assertEqual([{ cells: ['2 (2y332d ago)'] }, { cells: ['2 (2y333d ago)'] }]);
    assertDiffers([{ cells: ['2 (2y332d ago)'] }, { cells: ['3 (2y332d ago)'] }]);
    assertDiffers([{ cells: ['2 (2y332d ago)'] }, { cells: ['2'] }]);
  });

  it('the path of each difference is told', () => {
    const [difference] = compareBodies([{ items: [{ spec: { a: 1 } }] }, { items: [{ spec: { a: 2 } }] }]);
    assert.deepEqual(difference, { path: 'body.items[0].spec.a', expected: 1, actual: 2 });
  });

  it('paths that a step ignores are let be, and no others', () => {
    const step: Step = {
      ignore: ['body/a/*/b', '**/x~1y'],
      answer: { body: { a: [{ b: 1, c: 1 }], d: { 'x/y': 1 } } },
    };
    const compare = (body: unknown): number => compareAnswer(comparisonFor({}), step, { body }).length;
    assert.equal(compare({ a: [{ b: 2, c: 1 }], d: { 'x/y': 2 } }), 0);
    assert.equal(compare({ a: [{ b: 1, c: 2 }], d: { 'x/y': 1 } }), 1);
  });
});

describe('kubectl', () => {
  it('ages, suffixes and the width of columns may differ, words and codes may not', () => {
    const expected = { code: 0, stdout: 'NAME   READY   AGE\nweb-bcdfg   1/1   3s\n', stderr: '' };
    assert.deepEqual(
      compareKubectl(expected, { ...expected, stdout: 'NAME READY AGE\nweb-xzvwt  1/1    2m10s\n' }),
      [],
    );
    assert.equal(compareKubectl(expected, { ...expected, code: 1 }).length, 1);
    assert.equal(
      compareKubectl(expected, { ...expected, stdout: 'NAME READY AGE\nweb-xzvwt  0/1    2m10s\n' }).length,
      1,
    );
    assert.equal(compareKubectl(expected, { ...expected, stderr: 'Warning: x' }).length, 1);
    assert.equal(compareKubectl(expected, { error: 'ENOENT' }).at(-1)?.expected, 'kubectl runs');
  });

  it('the order of lines may differ only where the recording says so', () => {
    const expected = { code: 0, stdout: 'a\nb', stderr: '' };
    const actual = { code: 0, stdout: 'b\na', stderr: '' };
    assert.equal(compareKubectl(expected, actual).length, 1);
    assert.equal(compareKubectl(expected, actual, { allLines: true }).length, 2);
    assert.deepEqual(compareKubectl(expected, actual, { unordered: true }), []);
  });
});

describe('snapshots', () => {
  const list = (...items: readonly unknown[]): Answer => ({ lists: { '/pods': { items } } });
  const pod = (name: string, fields: object): unknown => ({
    metadata: { generateName: 'web-', name, uid: `${name}-uid`, resourceVersion: '1' },
    ...fields,
  });
  const compare = (expected: Answer, actual: Answer, step: Partial<Step> = {}): Difference[] =>
    compareAnswer(comparisonFor({}), { do: 'snapshot', paths: ['/pods'], ...step, answer: expected }, actual);

  it('pair objects with generated names by their form, whatever their order', () => {
    const expected = list(pod('web-aaaaa', { node: 'x' }), pod('web-bbbbb', { node: 'y' }));
    assert.deepEqual(compare(expected, list(pod('web-ccccc', { node: 'y' }), pod('web-ddddd', { node: 'x' }))), []);
    assert.equal(compare(expected, list(pod('web-ccccc', { node: 'y' }), pod('web-ddddd', { node: 'z' }))).length, 2);
    assert.equal(compare(expected, list(pod('web-ccccc', { node: 'y' }))).length, 1);
    assert.equal(compare(expected, { lists: {} }).length, 1);
  });

  it('sort the arrays that the recording names', () => {
    const named = (endpoints: readonly string[]): Answer => list({ metadata: { name: 'a' }, endpoints });
    assert.deepEqual(compare(named(['x', 'y']), named(['y', 'x']), { sort: ['endpoints'] }), []);
    assert.equal(compare(named(['x', 'y']), named(['y', 'x'])).length, 2);
    assert.equal(compare(named(['x', 'y']), named(['y', 'z']), { sort: ['endpoints'] }).length, 2);
  });
});

describe('protobuf', () => {
  const message = (...bytes: readonly number[]): string =>
    Buffer.concat([Buffer.from('k8s\0'), Buffer.from(bytes)]).toString('base64');
  const compare = (expected: string, actual: string | undefined): number =>
    compareAnswer(
      comparisonFor({}),
      { answer: { status: 200, base64: expected } },
      { status: 200, ...(actual && { base64: actual }) },
    ).length;
  const text = (field: number, value: string): number[] => [field * 8 + 2, value.length, ...Buffer.from(value)];

  it('is compared field by field', () => {
    const expected = message(...text(1, 'kind'), 0x10, 5);
    assert.equal(compare(expected, expected), 0);
    assert.equal(compare(expected, message(...text(1, 'king'), 0x10, 5)), 1);
    assert.equal(compare(expected, message(...text(1, 'kind'), 0x10, 6)), 1);
    assert.equal(compare(expected, message(...text(1, 'kind'))), 1);
    assert.equal(compare(expected, undefined), 1);
  });

  it('lets resource versions and times differ', () => {
    const seconds = [0x08, 0x80, 0x94, 0xeb, 0xdc, 0x06];
    const later = [0x08, 0x81, 0x94, 0xeb, 0xdc, 0x06];
    const expected = message(...text(6, '123'), 0x42, seconds.length, ...seconds);
    assert.equal(compare(expected, message(...text(6, '99999'), 0x42, later.length, ...later)), 0);
    assert.equal(compare(expected, message(...text(6, 'x123'), 0x42, later.length, ...later)), 1);
  });
});
