// Strategies see whatever clients send, as long as it is of the kind's type: they answer with errors and never throw.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  applySchemaDefaults,
  canonicalize,
  decodeBody,
  type FieldError,
  type KubeObject,
  type Mutable,
  stringifyJson,
} from '@homeostat/machinery';
import { randomObject } from '@homeostat/machinery/testing';
import fc from 'fast-check';
import type { ResourceInfo } from '../resource.ts';
import { resources } from '../scheme/scheme.ts';
import type { KindStrategy, StrategyContext } from '../strategy.ts';
import { strategyOf } from './strategies.ts';

const cel = await import('@homeostat/machinery/cel');
const context: StrategyContext = { nowMs: Date.UTC(2026, 0, 2), user: { username: 'u', groups: ['g'] }, cel };
const infos = resources.filter(({ kind }) => !/Review$|^TokenRequest$/.test(kind));

function draftOf(info: ResourceInfo, seed: number, density: number): Mutable<KubeObject> {
  const draft = decodeBody<Mutable<KubeObject>>(
    stringifyJson(randomObject(info.schema, seed, { density })),
    info.schema,
  );
  // The registry sets both before strategies run.
  draft.metadata = { ...draft.metadata, uid: 'u', generation: 1 };
  applySchemaDefaults(draft, info.schema);
  return draft;
}

function create(info: ResourceInfo, strategy: KindStrategy, seed: number, density: number): KubeObject {
  const draft = draftOf(info, seed, density);
  strategy.applyDefaults?.(draft);
  strategy.prepareForCreate?.(draft, context);
  readOnly(strategy, draft as KubeObject, () => {
    const errors = strategy.validateCreate?.(draft as KubeObject, context) ?? [];
    assertTexts(errors);
    if (errors.length > 0) return;
    strategy.warningsOnCreate?.(draft as KubeObject);
    strategy.table?.row(draft as KubeObject, context.nowMs);
  });
  strategy.canonicalize?.(draft);
  return canonicalize(draft as KubeObject, info.schema);
}

function assertTexts(errors: readonly FieldError[]): void {
  for (const { field, body } of errors)
    assert.doesNotMatch(`${field}: ${body}`, /(?<!must be (?:true or )?)undefined|\[object|NaN/);
}

/** Runs checks that may not change the object. */
function readOnly(strategy: KindStrategy, object: KubeObject, check: () => void): void {
  const before = stringifyJson(object);
  check();
  strategy.selectableFields?.(object);
  strategy.gracefulDeletion?.(object, undefined);
  assert.equal(stringifyJson(object), before);
}

test('strategies of every kind answer any object of its type', () => {
  fc.assert(
    fc.property(fc.constantFrom(...infos), fc.integer(), fc.constantFrom(0.2, 0.5, 0.9), (info, seed, density) => {
      const strategy = strategyOf(info);
      const stored = create(info, strategy, seed, density);
      const before = stringifyJson(stored);
      for (const update of [strategy, ...Object.values(strategy.subresources ?? {})]) {
        for (const change of [seed, seed + 1]) {
          const draft = draftOf(info, change, density);
          strategy.applyDefaults?.(draft);
          update.prepareForUpdate?.(draft, stored, context);
          readOnly(strategy, draft as KubeObject, () => {
            const errors = update.validateUpdate?.(draft as KubeObject, stored, context) ?? [];
            assertTexts(errors);
            if (errors.length === 0) update.warningsOnUpdate?.(draft as KubeObject, stored);
          });
        }
      }
      assert.equal(stringifyJson(stored), before);
    }),
    { numRuns: 1500 },
  );
});
