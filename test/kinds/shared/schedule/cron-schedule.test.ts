import t from 'tap';
import { scheduleError } from '../../../../kinds/shared/schedule/cron-schedule.js';

const atoi = (text: string): string =>
  `failed to parse int from ${text}: strconv.Atoi: parsing "${text}": invalid syntax`;

t.test('valid cron schedules have no error', async t => {
  const right = [
    ...['* * * * *', '? ? ? ? ?', '*/5 * * * *', '0-59/7 * * * *', '5/10 * * * *', '+5 * * * *', '1-+5 * * * *'],
    ...['1,2,3 * * * *', ',1,,2, * * * *', ', , , , ,', '0 0 1 jan sun', '0 0 1 JAN-Dec Mon-FRI/2', '0 0 1 1-dec 6'],
    ...['*-5 * * * *', '*-99-x * * * *', '?-/3 * * * *', '1/99999999999999999999 * * * *', '000001 * * * *'],
    ...['@hourly', '@every 1h30m', 'TZ=UTC 0 0 * * *', '  0\t0  1 1 *  '],
  ];
  for (const schedule of right) t.equal(scheduleError(schedule), undefined, schedule);
});

t.test('invalid cron schedules have the errors of robfig/cron', async t => {
  const wrong: readonly (readonly [string, string])[] = [
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['1,2,60,x * * * *', 'end of range (60) above maximum (59): 60'],
    ['99999999999999999999 * * * *', 'end of range (100000000000000000000) above maximum (59): 99999999999999999999'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['* * 0-40 * *', 'beginning of range (0) below minimum (1): 0-40'],
    ['5-2 * * * *', 'beginning of range (5) beyond end of range (2): 5-2'],
    ['* * * dec-jan *', 'beginning of range (12) beyond end of range (1): dec-jan'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-5/0 * * * *', 'step of range should be a positive number: 1-5/0'],
    ['*/2/3 * * * *', 'too many slashes: */2/3'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1-2-3/4/5 * * * *', 'too many hyphens: 1-2-3/4/5'],
    ['*x * * * *', atoi('*x')],
    ['x * * * *', atoi('x')],
    ['jan * * * *', atoi('jan')],
    ['* * * janu *', atoi('janu')],
    ['* * * +jan *', atoi('+jan')],
    ['* * * ja,n *', atoi('ja')],
    ['* * * jan-f,eb *', atoi('f')],
    ['1- * * * *', atoi('')],
    ['-1 * * * *', atoi('')],
    ['1-x * * * *', atoi('x')],
    ['1/ * * * *', atoi('')],
    ['1/jan * * * *', atoi('jan')],
    ['1/2-3 * * * *', atoi('2-3')],
    ['*/-1 * * * *', 'negative number (-1) not allowed: -1'],
    ['+ * * * *', atoi('+')],
    ['1_0 * * * *', atoi('1_0')],
    ['\u0661 * * * *', atoi('\u0661')],
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['', 'empty spec string'],
    ['@never', 'unrecognized descriptor: @never'],
  ];
  for (const [schedule, expect] of wrong) t.equal(scheduleError(schedule), expect, schedule);
});

t.test('a field of a hundred thousand ranges is read up to its first error', async t => {
  const many = '1-5/2,'.repeat(100_000);
  t.equal(scheduleError(`${many}6 * * * *`), undefined);
  t.equal(scheduleError(`${many}61 * * * *`), 'end of range (61) above maximum (59): 61');
});
