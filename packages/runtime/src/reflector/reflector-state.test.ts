// The protocol step by step, without a server. Numbers are the scenarios of spec/client.md §9.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '@homeostat/base';
import { TransportError } from '@homeostat/client';
import { newExpired } from '@homeostat/machinery';
import type { ReflectorEffect, ReflectorInput, ReflectorState } from './reflector-protocol.ts';
import { createReflectorState, raiseFloor, stepReflector } from './reflector-state.ts';

const status = (code: number, reason: string, details: ApiError['details'] = undefined): ApiError =>
  new ApiError({ code, reason, message: reason, ...(details === undefined ? {} : { details }) });
const reset = new TransportError('reset', 'premature close');
const tooLarge = status(504, 'Timeout', { causes: [{ reason: 'ResourceVersionTooLarge' }] });
const tooLargeInWords = new ApiError({
  code: 504,
  reason: 'Timeout',
  message: 'Too large resource version: 9, current: 5',
});
const ended = (error?: unknown): ReflectorInput => ({ type: 'watch-ended', error });
const refused = (error: unknown): ReflectorInput => ({ type: 'watch-refused', error });
const changed = (resourceVersion: string): ReflectorInput => ({ type: 'changed', resourceVersion });
const bookmark = (resourceVersion: string, initialEventsEnd = false): ReflectorInput => ({
  type: 'bookmark',
  resourceVersion,
  initialEventsEnd,
});

/** Drives a reflector by hand; what it is told to do is read as short words. */
class Driver {
  state: ReflectorState;
  nowMs = 1_000_000;
  effects: readonly ReflectorEffect[] = [];

  constructor(options: Parameters<typeof createReflectorState>[0] = { streaming: false }) {
    this.state = createReflectorState(options);
  }

  /** Steps, and says what is to be done now. */
  step(input: ReflectorInput, laterMs = 0): string {
    this.nowMs += laterMs;
    const { state, effects } = stepReflector(this.state, input, this.nowMs);
    this.state = state;
    this.effects = effects;
    return effects
      .map((effect) => ('resourceVersion' in effect ? `${effect.do} "${effect.resourceVersion}"` : effect.do))
      .join(', ');
  }

  get waitMs(): number {
    const wait = this.effects.find((effect) => effect.do === 'wait');
    assert.ok(wait !== undefined);
    return wait.delayMs;
  }

  /** A reflector that follows from version 5. */
  static watching(options?: Parameters<typeof createReflectorState>[0]): Driver {
    const driver = new Driver(options ?? { streaming: false });
    driver.step({ type: 'start' });
    if (driver.state.phase === 'streaming-list') {
      driver.step({ type: 'watch-opened' });
      driver.step(bookmark('5', true));
    } else {
      driver.step({ type: 'listed', resourceVersion: '5' });
      driver.step({ type: 'watch-opened' });
    }
    assert.equal(driver.state.phase, 'watching');
    return driver;
  }
}

describe('stepReflector()', () => {
  it('1 lists the most recent state, then watches from there', () => {
    const driver = new Driver();
    assert.equal(driver.step({ type: 'start' }), 'list ""');
    assert.equal(driver.step({ type: 'listed', resourceVersion: '5' }), 'replace "5", open-watch "5"');
    assert.equal(driver.step({ type: 'watch-opened' }), 'next');
  });

  it('2 4 watches again where events and bookmarks have led, without a list', () => {
    const driver = Driver.watching();
    assert.equal(driver.step(changed('6')), 'apply, next');
    assert.equal(driver.step(changed('8')), 'apply, next');
    assert.equal(driver.step(ended(), 2_000), 'close-watch, open-watch "8"');
    driver.step({ type: 'watch-opened' });
    assert.equal(driver.step(bookmark('100')), 'progress "100", next');
    assert.equal(driver.step(ended(reset), 2_000), 'close-watch, report, open-watch "100"');
  });

  it('3 lists again after a watch that was closed at once', () => {
    const driver = Driver.watching();
    assert.equal(driver.step(ended(), 500), 'close-watch, report, wait');
    const [, report] = driver.effects;
    assert.match(String(report?.do === 'report' && report.error), /very short watch/);
    assert.equal(driver.step({ type: 'waited' }, 1_000), 'list "5"');
  });

  it('5 lists from the last version after 410, and the most recent state when that is gone too', () => {
    const driver = Driver.watching();
    assert.equal(driver.step(ended(newExpired('too old'))), 'close-watch, report, wait');
    assert.equal(driver.step({ type: 'waited' }), 'list "5"');
    assert.equal(driver.step({ type: 'list-failed', error: newExpired('too old') }), 'list ""');
    assert.equal(driver.step({ type: 'list-failed', error: newExpired('too old') }), 'report, wait');
    assert.equal(driver.step(ended(status(410, 'Gone'))), 'close-watch, report, wait');
  });

  it('6 7 asks for the most recent state when the version is too large, once', () => {
    for (const error of [tooLarge, tooLargeInWords]) {
      const driver = Driver.watching();
      driver.step(ended(newExpired('too old')));
      driver.step({ type: 'waited' });
      assert.equal(driver.step({ type: 'list-failed', error }), 'list ""');
      driver.step({ type: 'listed', resourceVersion: '20' });
      driver.step({ type: 'watch-opened' });
      driver.step(ended(newExpired('too old')));
      assert.equal(driver.step({ type: 'waited' }), 'list "20"');
    }
  });

  it('12 opens a watch again at its place when nobody answers, or with 401, 429 or 503', () => {
    for (const error of [
      new TransportError('refused', 'connection refused'),
      new Error('the credential plugin failed'),
      status(401, 'Unauthorized'),
      status(429, 'TooManyRequests'),
      status(503, 'ServiceUnavailable'),
    ]) {
      const driver = Driver.watching();
      driver.step(ended(), 2_000);
      assert.equal(driver.step(refused(error)), 'report, wait');
      assert.equal(driver.step({ type: 'waited' }), 'open-watch "5"');
    }
  });

  it('waits as long as the server says, but no longer than a minute', () => {
    for (const [retryAfterSeconds, expected] of [
      [7, 7_000],
      [3_600, 60_000],
    ] as const) {
      const driver = Driver.watching();
      driver.step(ended(), 2_000);
      driver.step(refused(status(429, 'TooManyRequests', { retryAfterSeconds })));
      assert.deepEqual(driver.effects.at(-1), { do: 'wait', delayMs: 800, leastMs: expected });
    }
  });

  it('13 lists again after another refusal, with a back-off of 0.8 s to 15 s before jitter, reset by two minutes of peace', () => {
    const driver = Driver.watching();
    driver.step(ended(), 2_000);
    const delays: number[] = [];
    driver.step(refused(status(403, 'Forbidden')));
    for (let i = 0; i < 7; i++) {
      delays.push(driver.waitMs);
      assert.equal(driver.step({ type: 'waited' }, driver.waitMs), 'list "5"');
      driver.step({ type: 'list-failed', error: status(403, 'Forbidden') });
    }
    assert.deepEqual(delays, [800, 1_600, 3_200, 6_400, 12_800, 15_000, 15_000]);
    driver.step({ type: 'waited' });
    driver.step({ type: 'listed', resourceVersion: '6' });
    driver.step({ type: 'watch-opened' });
    driver.step(ended(newExpired('too old')), 121_000);
    assert.equal(driver.waitMs, 800);
  });

  it('14 opens again after 500 InternalError for as long as it was told to, then lists', () => {
    const driver = Driver.watching({ streaming: false, internalErrorRetryMs: 60_000 });
    for (const laterMs of [2_000, 30_000, 29_000]) {
      driver.step(ended(status(500, 'InternalError')), laterMs);
      assert.equal(driver.step({ type: 'waited' }), 'open-watch "5"');
      driver.step({ type: 'watch-opened' });
    }
    driver.step(ended(status(500, 'InternalError')), 2_000);
    assert.equal(driver.step({ type: 'waited' }), 'list "5"');
    const impatient = Driver.watching();
    impatient.step(ended(status(500, 'InternalError')), 2_000);
    assert.equal(impatient.step({ type: 'waited' }), 'list "5"');
  });

  it('17 takes what was streamed when the end bookmark comes, and goes on with the same watch', () => {
    const driver = new Driver({ streaming: true });
    assert.equal(driver.step({ type: 'start' }), 'stream-list ""');
    assert.equal(driver.step({ type: 'watch-opened' }), 'next');
    assert.equal(driver.step(changed('1')), 'collect, next');
    assert.equal(driver.step(changed('2')), 'collect, next');
    assert.equal(driver.step(bookmark('9', true)), 'replace "9", next');
    assert.equal(driver.step(changed('10')), 'apply, next');
  });

  it('18 S28 does not take a bookmark for the end, and starts over when the stream breaks before it', () => {
    const driver = new Driver({ streaming: true });
    driver.step({ type: 'start' });
    driver.step({ type: 'watch-opened' });
    driver.step(changed('1'));
    assert.equal(driver.step(bookmark('9')), 'next');
    assert.equal(driver.step(ended(), 5_000), 'close-watch, wait');
    assert.equal(driver.step({ type: 'waited' }), 'stream-list ""');
  });

  it('lists plainly after three streams that broke, whatever broke them, and streams again later', () => {
    const driver = new Driver({ streaming: true });
    driver.step({ type: 'start' });
    for (let i = 0; i < 3; i++) {
      assert.equal(driver.state.phase, 'streaming-list');
      driver.step({ type: 'watch-opened' });
      driver.step(ended(i === 1 ? status(500, 'InternalError') : undefined), 5_000);
      driver.step({ type: 'waited' });
    }
    assert.equal(driver.state.phase, 'listing');
    driver.step({ type: 'listed', resourceVersion: '5' });
    driver.step({ type: 'watch-opened' });
    driver.step(ended(newExpired('too old')), 5_000);
    assert.equal(driver.step({ type: 'waited' }), 'stream-list "5"');
  });

  it('19 lists plainly on a server that does not know streaming, from then on', () => {
    for (const error of [status(422, 'Invalid'), status(400, 'BadRequest')]) {
      const driver = new Driver({ streaming: true });
      driver.step({ type: 'start' });
      assert.equal(driver.step(refused(error)), 'list ""');
      driver.step({ type: 'listed', resourceVersion: '5' });
      driver.step({ type: 'watch-opened' });
      driver.step(ended(newExpired('too old')), 5_000);
      assert.equal(driver.step({ type: 'waited' }), 'list "5"');
    }
    const silent = new Driver({ streaming: true });
    silent.step({ type: 'start' });
    silent.step({ type: 'watch-opened' });
    assert.equal(silent.step({ type: 'stalled' }), 'close-watch, report, list ""');
  });

  it('lists plainly once where a stream is refused for another reason', () => {
    const driver = new Driver({ streaming: true });
    driver.step({ type: 'start' });
    assert.equal(driver.step(refused(status(404, 'NotFound'))), 'list ""');
    assert.equal(driver.step({ type: 'list-failed', error: status(404, 'NotFound') }), 'report, wait');
    assert.equal(driver.state.missing, true);
    assert.equal(driver.step({ type: 'waited' }), 'list ""', 'one request a try while the resource is missing');
    driver.step({ type: 'listed', resourceVersion: '5' });
    assert.equal(driver.state.missing, false);
    driver.step({ type: 'watch-opened' });
    driver.step(ended(newExpired('too old')), 5_000);
    assert.equal(driver.step({ type: 'waited' }), 'stream-list "5"');
  });

  it('20 streams the most recent state when its version is gone or too large', () => {
    for (const error of [newExpired('too old'), tooLarge]) {
      const driver = Driver.watching({ streaming: true });
      driver.step(ended(newExpired('too old')), 2_000);
      assert.equal(driver.step({ type: 'waited' }), 'stream-list "5"');
      assert.equal(driver.step(refused(error)), 'stream-list ""');
      assert.equal(driver.step(refused(error)), 'report, wait', 'at most one request without a wait');
    }
  });

  it('21 takes no version from objects that are being streamed', () => {
    const driver = new Driver({ streaming: true });
    driver.step({ type: 'start' });
    driver.step({ type: 'watch-opened' });
    driver.step(changed('50'));
    driver.step(changed('20'));
    assert.equal(driver.state.resourceVersion, '');
  });

  it('G7 O13 refuses lists and events older than what was seen, until that is what the server has', () => {
    const driver = Driver.watching();
    driver.step(changed('9'));
    assert.equal(driver.step(changed('8')), 'drop, next');
    assert.equal(driver.step(changed('9')), 'drop, next');
    assert.equal(driver.step({ type: 'changed', resourceVersion: '9', deleted: true }), 'apply, next');
    assert.equal(driver.step(bookmark('3')), 'next');
    driver.step(ended(newExpired('too old')), 2_000);
    driver.step({ type: 'waited' });
    assert.equal(driver.step({ type: 'listed', resourceVersion: '7' }), 'report, wait');
    assert.equal(driver.step({ type: 'waited' }, 60_000), 'list ""', 'a consistent read');
    assert.equal(driver.step({ type: 'listed', resourceVersion: '7' }), 'report, wait');
    driver.step({ type: 'waited' }, 60_000);
    assert.equal(driver.step({ type: 'listed', resourceVersion: '7' }), 'replace "7", open-watch "7"');
  });

  it('takes no list older than what a repair has read, and keeps the watch at its place', () => {
    const driver = Driver.watching();
    driver.state = raiseFloor(driver.state, '20');
    assert.equal(driver.step(changed('6')), 'apply, next');
    assert.equal(driver.step(ended(), 2_000), 'close-watch, open-watch "6"');
    assert.equal(driver.step(refused(newExpired('too old'))), 'report, wait');
    assert.equal(driver.step({ type: 'waited' }), 'list "20"');
    assert.equal(driver.step({ type: 'listed', resourceVersion: '19' }), 'report, wait');
    driver.step({ type: 'waited' });
    assert.equal(driver.step({ type: 'listed', resourceVersion: '21' }), 'replace "21", open-watch "21"');
    assert.equal(raiseFloor(driver.state, '3'), driver.state);
  });
});
