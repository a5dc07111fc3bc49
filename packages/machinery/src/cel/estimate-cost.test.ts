// Estimated costs of rules are upstream's to the unit: they decide which definitions are accepted. The numbers come from
// `k8s.io/apiextensions-apiserver` 0.36.2.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileStructural } from '../structural/compile-structural.ts';
import { ruleProgramsOf } from '../structural/rule-programs.ts';
import { costMax, estimateCost } from './estimate-cost.ts';

const text = (maxLength: number): object => ({ type: 'string', maxLength });
const int = { type: 'integer' };
const properties = {
  s: text(50),
  i: int,
  l: { type: 'array', maxItems: 10, items: text(20) },
  m: { type: 'object', maxProperties: 10, additionalProperties: text(20) },
  o: { type: 'object', properties: { x: int } },
  lm: {
    type: 'array',
    maxItems: 5,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: { type: 'object', required: ['k'], properties: { k: text(10), v: int } },
  },
};

const rules: readonly (readonly [rule: string, cost: number])[] = [
  ['self == oldSelf', 2],
  ['self.o == oldSelf.o', 4],
  ['self.s == oldSelf.s', 24],
  ['has(self.s)', 1],
  ["self.l.all(x, x.startsWith('abc'))", 53],
  ['self.l.exists(x, x == self.s)', 153],
  ['self.lm.all(e, self.lm.exists_one(f, f.k == e.k))', 288],
  ["self.m.all(k, self.m[k].matches('^[a-z]+$'))", 253],
  ["quantity('1') == quantity('2')", 3],
  ["quantity('1') != quantity('2')", costMax / 10],
  ["cidr('10.0.0.0/8').containsIP(ip(self.s))", 27],
  ["isURL(self.s) && url(self.s).getHost() == 'a'", 27],
  ["self.s.replace('a', 'bcd').size() > 1", 44],
  ["self.s.split(',').join(';') == self.s", costMax / 10],
  ["self.l.map(x, x + 'y').filter(x, x.size() > 2).size() > 0", 406],
  ['self.lm.sortBy(e, e.k).size() > 1', 161],
  ['self.l.distinct().size() == self.l.size()', 218],
  ["sets.contains(self.l, ['a', 'b'])", 33],
  ['self.l.isSorted()', 92],
  ["self.m.transformMap(k, v, v + 'x').size() > 0", 165],
  ['self.?o.optMap(o, o.x > 1).orValue(true)', 21],
  ['[1, 2].exists(x, x == self.i)', 25],
  ['format.dns1123Label().validate(self.s).hasValue()', 644],
  ['self.l.slice(2, 1) == []', costMax],
  ["self.s in self.l ? 'yes' == self.s : self.s == 'no'", 17],
  ["dyn(self.s) == 'x'", 4],
];

for (const [rule, cost] of rules) {
  test(`estimateCost() of ${rule}`, () => {
    const schema = compileStructural({ type: 'object', properties, 'x-kubernetes-validations': [{ rule }] });
    const [compiled] = ruleProgramsOf(schema, false);
    assert.ok(compiled?.program, compiled?.error ?? rule);
    const estimate = estimateCost(compiled.program.checked, compiled.self);
    assert.ok(Math.abs(estimate - cost) <= cost * Number.EPSILON, `${estimate} instead of ${cost}`);
  });
}
