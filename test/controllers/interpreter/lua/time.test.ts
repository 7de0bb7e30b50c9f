/** The times of `os.time` and `os.date`. The zone of the process may be any. */
import t from 'tap';
import { datePartsOf, dateText, localSeconds } from '../../../../controllers/interpreter/lua/date.js';

const ms = Date.UTC(2026, 0, 4, 15, 4, 9); // a Sunday

t.test('a time is printed as in Karmada', async t => {
  const text = (format: string, at = ms): string => dateText(format, datePartsOf(at, true), true);
  const table = [
    ['%Y-%m-%dT%H:%M:%SZ', '2026-01-04T15:04:09Z'],
    ['%a %A %b %B', 'mon Sunday Jan January'],
    ['%c', '04 Jan 26 15:04 UTC'],
    ['%F %X %x', '2026-01-04 15:04:09 15/04/09'],
    ['%I %p %P %w %y %z %Z', '03 PM pm 0 26 +0000 UTC'],
    ['100%% %Q % %', '100% %Q % %'],
    ['', ''],
  ] as const;
  for (const [format, expected] of table) t.equal(text(format), expected, format);
  t.equal(text('%I %p', Date.UTC(2026, 0, 1, 0)), '12 AM');
  t.equal(text('%I %p', Date.UTC(2026, 0, 1, 12)), '12 PM');
});

t.test('an offset is printed with its sign', async t => {
  const parts = datePartsOf(ms, true);
  for (const [offset, zone, name] of [
    [60, '+0100', '+01'],
    [-210, '-0330', '-0330'],
    [0, '+0000', 'UTC'],
  ] as const)
    t.equal(dateText('%z %Z', { ...parts, offset }, false), `${zone} ${name}`);
});

t.test('the parts of a time', async t => {
  t.strictSame(datePartsOf(ms, true), {
    ...{ year: 2026, month: 1, day: 4, hour: 15, min: 4, sec: 9 },
    ...{ wday: 1, offset: 0 },
  });
  const local = new Date(ms);
  t.match(datePartsOf(ms, false), { hour: local.getHours(), min: local.getMinutes(), day: local.getDate() });
});

t.test('parts out of range carry over', async t => {
  const seconds = (...parts: [number, number, number, number, number, number]): number =>
    new Date(...parts).getTime() / 1000;
  t.equal(localSeconds([2024, 6, 15, 10, 30, 5]), seconds(2024, 5, 15, 10, 30, 5));
  t.equal(localSeconds([2024, 13, 35, 30, 70, 61]), seconds(2024, 12, 35, 30, 70, 61));
  t.equal(localSeconds([2024, 2, 30, -1, 0, 0]), seconds(2024, 1, 30, -1, 0, 0));
  t.equal(localSeconds([-1, -1, -1, 12, 0, 0]), seconds(-1, -2, -1, 12, 0, 0));
});

t.test('a year below 100 is none of the 20th century', async t => {
  for (const year of [0, 1, 26, 99, 100])
    t.equal(datePartsOf(localSeconds([year, 6, 15, 12, 0, 0]) * 1000, false).year, year);
});

t.test('a time that a Date cannot hold is none', async t => {
  for (const year of [1e10, -1e10, NaN, Infinity])
    t.ok(Number.isNaN(localSeconds([year, 1, 1, 0, 0, 0])), String(year));
});
