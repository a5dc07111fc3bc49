import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CronError, isTimeZone, parseCronSchedule } from './cron-schedule.ts';

test('parseCronSchedule() reads steps, ranges, lists and names', () => {
  const schedule = parseCronSchedule('*/20 1-3,5 * jan-MAR 0/2');
  assert.ok(schedule.kind === 'fields');
  assert.deepEqual([...schedule.minutes], [0, 20, 40]);
  assert.deepEqual([...schedule.hours], [1, 2, 3, 5]);
  assert.deepEqual([...schedule.months], [1, 2, 3]);
  assert.deepEqual([...schedule.daysOfWeek], [0, 2, 4, 6]);
  assert.deepEqual([schedule.anyDayOfMonth, schedule.anyDayOfWeek], [true, false]);
});

test('parseCronSchedule() reads descriptors, intervals and old time zone prefixes', () => {
  assert.deepEqual(parseCronSchedule('@every 90s'), { kind: 'every', ms: 90_000 });
  const daily = parseCronSchedule('@daily');
  assert.ok(daily.kind === 'fields' && daily.minutes.size === 1 && daily.hours.has(0));
  assert.equal(parseCronSchedule('TZ=Asia/Tokyo 0 0 * * *').timeZone, 'Asia/Tokyo');
});

test('parseCronSchedule() refuses with words that say why', () => {
  const cases: Readonly<Record<string, RegExp>> = {
    '60 * * * *': /^end of range \(60\) above maximum \(59\): 60$/,
    '5-1 * * * *': /^beginning of range \(5\) beyond end of range \(1\): 5-1$/,
    '*/0 * * * *': /^step of range should be a positive number: \*\/0$/,
    '* * * *': /^expected exactly 5 fields, found 4: \[\* \* \* \*\]$/,
    'a * * * *': /^failed to parse int from a: strconv\.Atoi: parsing "a": invalid syntax$/,
    '1--2 * * * *': /^too many hyphens: 1--2$/,
    '@sometimes': /^unrecognized descriptor: @sometimes$/,
    'TZ=Mars/Base 0 0 * * *': /^provided bad location Mars\/Base/,
  };
  for (const [text, message] of Object.entries(cases)) assert.throws(() => parseCronSchedule(text), { message });
});

test('parseCronSchedule() reads or refuses any text, and never yields a value outside its field', () => {
  const field = fc.stringMatching(/^[0-9*/,\-?a-z]{1,6}$/);
  fc.assert(
    fc.property(fc.array(field, { minLength: 5, maxLength: 5 }), (fields) => {
      try {
        const schedule = parseCronSchedule(fields.join(' '));
        assert.ok(schedule.kind === 'fields');
        assert.ok([...schedule.minutes].every((minute) => minute >= 0 && minute <= 59));
        assert.ok([...schedule.daysOfMonth].every((day) => day >= 1 && day <= 31));
      } catch (error) {
        assert.ok(error instanceof CronError, String(error));
      }
    }),
  );
});

test('isTimeZone() knows names of the database, and nothing that looks like a path or an offset', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+1'])
    assert.ok(isTimeZone(name), name);
  for (const name of ['Mars/Base', '../etc', '+01:00', 'europe/berlin']) assert.ok(!isTimeZone(name), name);
});
