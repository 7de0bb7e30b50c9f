import t from 'tap';
import * as duration from '../../../lib/go/duration.js';
import * as time from '../../../lib/go/time.js';
import { cpuCost } from '../../cpu-cost.js';

const as = (text: string, rest: string): { error: string } => ({
  error: `parsing time "${text}" as "2006-01-02T15:04:05Z07:00": cannot parse ${rest}`,
});

t.test('times are parsed and formatted as Go does', async t => {
  const cases: [string, string | null | { error: string }][] = [
    ['2024-01-31T12:00:00Z', '2024-01-31T12:00:00Z'],
    ['2024-02-29T12:00:00.999Z', '2024-02-29T12:00:00Z'],
    ['2024-01-31T23:30:00-01:30', '2024-02-01T01:00:00Z'],
    ['2024-01-31T1:02:03Z', '2024-01-31T01:02:03Z'],
    ['0001-01-01T00:00:00Z', null],
    ['yesterday', as('yesterday', '"yesterday" as "2006"')],
    ['', as('', '"" as "2006"')],
    ['2024-1-31T12:00:00Z', as('2024-1-31T12:00:00Z', '"1-31T12:00:00Z" as "01"')],
    ['2024-01-31', as('2024-01-31', '"" as "T"')],
    ['2024-01-31T12:00:00', as('2024-01-31T12:00:00', '"" as "Z07:00"')],
    ['2024-13-31T12:00:00Z', { error: 'parsing time "2024-13-31T12:00:00Z": month out of range' }],
    ['2023-02-29T12:00:00Z', { error: 'parsing time "2023-02-29T12:00:00Z": day out of range' }],
    ['2023-02-28T24:00:00Z', { error: 'parsing time "2023-02-28T24:00:00Z": hour out of range' }],
    ['2023-02-28T12:00:00Zx', { error: 'parsing time "2023-02-28T12:00:00Zx": extra text: "x"' }],
  ];
  for (const [given, expect] of cases) t.same(time.normalizeTime(given), expect, given);
  t.equal(time.normalizeMicroTime('2024-01-31T12:00:00.123456+01:00'), '2024-01-31T11:00:00.123456Z');
  t.match(time.normalizeMicroTime('2024-01-31T12:00:00Z'), { error: /cannot parse "Z" as ".000000"$/ });
  t.equal(time.formatTime(1500), '1970-01-01T00:00:01Z');
  t.equal(time.formatMicroTime(1500), '1970-01-01T00:00:01.500000Z');
});

t.test('every date of the calendar is a time, and no other', async t => {
  const two = (value: number): string => String(value).padStart(2, '0');
  const wrong: string[] = [];
  for (const year of [1900, 2000, 2023, 2024, 2100])
    for (let month = 0; month <= 13; month++)
      for (let day = 0; day <= 32; day++) {
        const date = new Date(Date.UTC(year, month - 1, day));
        const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
        const text = `${year}-${two(month)}-${two(day)}T23:59:59Z`;
        const micro = `${text.slice(0, -1)}.000001Z`;
        if ((time.normalizeTime(text) === text) !== exists) wrong.push(text);
        if ((time.normalizeMicroTime(micro) === micro) !== exists) wrong.push(micro);
      }
  t.same(wrong, []);
});

t.test('the time of a write costs as much on the last days of a month as on the others', async t => {
  for (const day of ['2026-11-28', '2026-11-29', '2026-11-30', '2026-12-31']) {
    const milliseconds = await cpuCost(30, () => {
      for (let i = 0; i < 50_000; i++) time.normalizeTime(`${day}T12:00:00Z`);
    });
    t.ok(milliseconds < 30, `${day}: ${milliseconds.toFixed(1)} ms for 50,000 times`);
  }
});

t.test('durations are parsed and formatted as Go does', async t => {
  const cases: [string, string | { error: string }][] = [
    ['1h', '1h0m0s'],
    ['1.5h', '1h30m0s'],
    ['90s', '1m30s'],
    ['100ms', '100ms'],
    ['1500us', '1.5ms'],
    ['1ns', '1ns'],
    ['0', '0s'],
    ['-1m', '-1m0s'],
    ['1h2m3.004s', '1h2m3.004s'],
    ['', { error: 'time: invalid duration ""' }],
    ['10', { error: 'time: missing unit in duration "10"' }],
    ['10x', { error: 'time: unknown unit "x" in duration "10x"' }],
    ['h', { error: 'time: invalid duration "h"' }],
    ['3000000h', { error: 'time: invalid duration "3000000h"' }],
  ];
  for (const [given, expect] of cases) {
    const found = duration.readDuration(given);
    t.same(typeof found === 'bigint' ? duration.formatDuration(found) : found, expect, given);
  }
  t.equal(duration.durationMs('1m30s'), 90000);
});

t.test('ages are formatted as kubectl does', async t => {
  const cases: [number, string][] = [
    [-2, '<invalid>'],
    [-1, '0s'],
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [150, '2m30s'],
    [600, '10m'],
    [179 * 60, '179m'],
    [180 * 60, '3h'],
    [200 * 60, '3h20m'],
    [8 * 3600 + 60, '8h'],
    [48 * 3600, '2d'],
    [50 * 3600, '2d2h'],
    [9 * 86400, '9d'],
    [730 * 86400, '2y'],
    [800 * 86400, '2y70d'],
    [9 * 365 * 86400, '9y'],
  ];
  for (const [seconds, expect] of cases) t.equal(duration.humanDuration(seconds * 1000), expect);
  t.equal(duration.age(undefined, 0), '<unknown>');
  t.equal(duration.age('1970-01-01T00:00:00Z', 5000), '5s');
});
