// Selectors: what parses, what matches, and upstream's messages (as recorded).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFieldSelector } from './field-selector.ts';
import {
  formatLabelSelector,
  LabelSelector,
  labelSelectorAsSelector,
  selectorFromSet,
  toLabelSelectorSpec,
} from './label-selector.ts';
import { parseLabelSelector } from './parse-label-selector.ts';
import { SelectorError } from './selector-error.ts';

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof SelectorError) return error.message;
    throw error;
  }
  return assert.fail('nothing was thrown');
}

test('parseLabelSelector() matches as the API server', () => {
  const web = { app: 'web', tier: 'front', n: '7' };
  const cases: readonly (readonly [string, boolean])[] = [
    ['', true],
    ['app', true],
    ['!app', false],
    ['app=web', true],
    ['app==web,tier!=back', true],
    ['missing!=x', true],
    ['app in (web, db)', true],
    ['app notin (web)', false],
    ['missing notin (x)', true],
    ['n>5,n<8', true],
    ['n>7', false],
    ['app>5', false],
    ['in=x', false],
    ['app in (),x=', false],
    [' app = web ', true],
  ];
  for (const [text, matches] of cases) assert.equal(parseLabelSelector(text).matches(web), matches, text);
  assert.equal(parseLabelSelector('a').matches(undefined), false);
});

test('toString() gives the canonical text', () => {
  assert.equal(parseLabelSelector('b in (y,x),a==1,!c,d>2,e').toString(), 'a==1,b in (x,y),!c,d>2,e');
});

test('parseLabelSelector() throws the messages that the API server was recorded with', () => {
  const cases: readonly (readonly [string, string])[] = [
    [',app=web', "found ',', expected: !, identifier, or 'end of string'"],
    ['app=web,', "found '', expected: identifier after ','"],
    ['app===web', "unable to parse requirement: found '=', expected: identifier"],
    ['a pp', "unable to parse requirement: found 'pp', expected: in, notin, =, ==, !=, gt, lt"],
    ['app in web', "unable to parse requirement: found 'web' expected: '('"],
    ['app in (web', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['!app=web', "found '=', expected: ',' or 'end of string'"],
    [
      'app>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    ['/x=1', 'unable to parse requirement: <nil>: Invalid value: "/x": prefix part must be non-empty'],
    [
      `k=${'v'.repeat(64)}`,
      `unable to parse requirement: values[0][k]: Invalid value: "${'v'.repeat(64)}": must be no more than 63 bytes`,
    ],
  ];
  for (const [text, message] of cases)
    assert.equal(
      messageOf(() => parseLabelSelector(text)),
      message,
      text,
    );
});

test('labelSelectorAsSelector() takes absent as nothing and empty as everything', () => {
  assert.equal(labelSelectorAsSelector(undefined).matches({ a: '1' }), false);
  assert.equal(labelSelectorAsSelector({}).matches({}), true);
  const selector = labelSelectorAsSelector({
    matchLabels: { app: 'web' },
    matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['db'] }],
  });
  assert.equal(selector.toString(), 'app=web,tier notin (db)');
  assert.equal(selector.matches({ app: 'web' }), true);
  assert.equal(selector.matches({ app: 'web', tier: 'db' }), false);
  assert.equal(
    messageOf(() => labelSelectorAsSelector({ matchExpressions: [{ key: 'a', operator: 'Foo' }] })),
    '"Foo" is not a valid label selector operator',
  );
});

test('exactMatch() gives the value an index can be asked for', () => {
  assert.equal(parseLabelSelector('a=1,b').exactMatch('a'), '1');
  assert.equal(parseLabelSelector('a in (1,2)').exactMatch('a'), undefined);
  assert.equal(selectorFromSet({ a: '1' }).exactMatch('a'), '1');
  assert.equal(LabelSelector.nothing.isEmpty, false);
});

test('formatLabelSelector() and toLabelSelectorSpec() go to the two other forms', () => {
  assert.equal(formatLabelSelector({}), '<none>');
  assert.equal(formatLabelSelector({ matchLabels: { '-': 'x' } }), '<error>');
  assert.deepEqual(toLabelSelectorSpec(parseLabelSelector('a=1,!b')), {
    matchLabels: { a: '1' },
    matchExpressions: [{ key: 'b', operator: 'DoesNotExist', values: [] }],
  });
});

test('parseFieldSelector() reads terms and escapes', () => {
  const selector = parseFieldSelector(String.raw`spec.nodeName=n\,1,status.phase!=Running,metadata.name==a\=b`);
  assert.equal(selector.exactMatch('spec.nodeName'), 'n,1');
  assert.equal(selector.exactMatch('status.phase'), undefined);
  assert.equal(selector.toString(), String.raw`metadata.name=a\=b,spec.nodeName=n\,1,status.phase!=Running`);
  assert.equal(selector.matches({ 'metadata.name': 'a=b', 'spec.nodeName': 'n,1', 'status.phase': 'Pending' }), true);
  assert.equal(parseFieldSelector('status.podIPs=::1').matches({ 'status.podIPs': ['1.1.1.1', '::1'] }), true);
  assert.equal(parseFieldSelector('a!=x').matches({}), true);
});

test('transform() rewrites fields and lets the kind refuse them', () => {
  const selector = parseFieldSelector('spec.host=n1').transform((field, value) => {
    if (field !== 'spec.host') throw new Error(`field label not supported: ${field}`);
    return ['spec.nodeName', value];
  });
  assert.equal(selector.toString(), 'spec.nodeName=n1');
});

test('parseFieldSelector() throws the messages that the API server was recorded with', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    [String.raw`metadata.name=a\b`, String.raw`invalid field selector: invalid escape sequence: \b`],
    ['metadata.name=a\\', 'invalid field selector: invalid escape sequence: \\'],
    ['metadata.name=a=b', 'invalid field selector: unescaped character in value: 61'],
  ];
  for (const [text, message] of cases)
    assert.equal(
      messageOf(() => parseFieldSelector(text)),
      message,
      text,
    );
});
