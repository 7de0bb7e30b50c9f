import t from 'tap';
import { parseCron } from '../../../controllers/autoscale/cron.js';
import { type ExecutionOutcome, lastOutcomes, nextHistories } from '../../../controllers/autoscale/history.js';
import { atOnce } from '../../../lib/time-slice.js';
import { isCronExpression } from '../../../kinds/karmada/autoscaling/cron-expression.js';
import type { CronRule } from '../../../kinds/karmada/autoscaling/cron-federated-hpa.js';

const instant = (text: string): number => Date.parse(text);

t.test('a cron schedule returns its next execution times', async t => {
  const cases: { name: string; given: [schedule: string, zone: string | undefined, from: string]; expect: string[] }[] =
    [
      {
        name: 'every minute after the current one',
        given: ['* * * * *', 'UTC', '2026-01-01T00:00:00Z'],
        expect: ['2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z'],
      },
      {
        name: 'lists, ranges, steps and names in a time zone',
        given: ['*/30 8-10/2 * jan,jul Mon-fri', 'Asia/Shanghai', '2026-01-02T02:10:00Z'],
        expect: ['2026-01-02T02:30:00Z', '2026-01-05T00:00:00Z'],
      },
      {
        name: 'a start with a step continues to the end of the range',
        given: ['50/5 * * * *', 'UTC', '2026-01-01T00:00:00Z'],
        expect: ['2026-01-01T00:50:00Z', '2026-01-01T00:55:00Z', '2026-01-01T01:50:00Z'],
      },
      {
        name: 'a day of month or a day of week matches',
        given: ['0 0 6 * FRI', 'UTC', '2026-01-01T00:00:00Z'],
        expect: ['2026-01-02T00:00:00Z', '2026-01-06T00:00:00Z', '2026-01-09T00:00:00Z'],
      },
      {
        name: 'a leap day',
        given: ['0 0 29 2 ?', 'UTC', '2026-01-01T00:00:00Z'],
        expect: ['2028-02-29T00:00:00Z', '2032-02-29T00:00:00Z'],
      },
      {
        name: 'the last month of the year',
        given: ['5 4 1 12 *', 'UTC', '2026-12-01T05:00:00Z'],
        expect: ['2027-12-01T04:05:00Z', '2028-12-01T04:05:00Z'],
      },
      { name: 'a date that no year has', given: ['0 0 30 2 *', 'UTC', '2026-01-01T00:00:00Z'], expect: [] },
      {
        name: 'a time that a DST change skips',
        given: ['30 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z'],
        expect: ['2026-03-09T06:30:00Z'],
      },
      {
        name: 'a midnight that a DST change skips',
        given: ['0 * * * *', 'America/Sao_Paulo', '2018-11-04T02:30:00Z'],
        expect: ['2018-11-04T03:00:00Z'],
      },
      {
        name: 'a time that occurs twice on a DST change',
        given: ['30 1 * * *', 'America/New_York', '2026-11-01T00:00:00Z'],
        expect: ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z', '2026-11-02T06:30:00Z'],
      },
      {
        name: 'a time zone in the schedule',
        given: ['TZ=Asia/Tokyo @daily', 'UTC', '2026-01-01T00:00:00Z'],
        expect: ['2026-01-01T15:00:00Z'],
      },
      {
        name: 'an interval, rounded to whole seconds',
        given: ['@every 90s', undefined, '2026-01-01T00:00:00.700Z'],
        expect: ['2026-01-01T00:01:30Z', '2026-01-01T00:03:00Z'],
      },
    ];
  for (const { name, given, expect } of cases) {
    const [text, zone, from] = given;
    const schedule = parseCron(text, zone);
    const got: number[] = [];
    for (let at: number | undefined = instant(from); at !== undefined && got.length < expect.length;) {
      at = schedule.next(at);
      if (at !== undefined) got.push(at);
    }
    t.same(got, expect.map(instant), name);
    if (expect.length === 0) t.equal(schedule.next(instant(from)), undefined, name);
  }
});

t.test('a schedule has at most 4,096 characters', async t => {
  const minutes = (length: number): string => `${'1,'.repeat(length)}1 * * * *`;
  t.ok(isCronExpression(minutes(2043)));
  t.notOk(isCronExpression(minutes(2044)));
});

t.test('an invalid schedule is refused', async t => {
  t.throws(() => parseCron('0 0 * * 7', 'UTC'), { message: 'end of range (7) above maximum (6): 7' });
  t.throws(() => parseCron('* * *', 'UTC'), { message: /expected exactly 5 fields/ });
  t.throws(() => parseCron('* * * * *', 'Mars/Base'), RangeError);
});

t.test('the histories are those of the rules, in their order before', async t => {
  const rule = (name: string): CronRule => ({ name, schedule: '* * * * *' });
  const outcome = (name: string): ExecutionOutcome => ({ rule: rule(name), scheduled: 0, executed: 0, failure: 'no' });
  const before = [
    { ruleName: 'b' },
    { ruleName: 'gone' },
    { ruleName: 'a' },
    { ruleName: 'b', nextExecutionTime: 'x' },
  ];
  const after = atOnce(
    nextHistories(before, ['a', 'b', 'c', 'a'].map(rule), new Map(), [outcome('gone'), outcome('c')]),
  );
  t.same(
    after.map(({ ruleName, failedExecutions = [] }) => `${ruleName} ${failedExecutions.length}`),
    ['b 0', 'a 0', 'c 1'],
  );
});

t.test('no step makes the histories of many rules', async t => {
  const rules = Array.from({ length: 1000 }, (_, i): CronRule => ({ name: `r${i}`, schedule: '* * * * *' }));
  const histories = rules.map(({ name }) => ({ ruleName: name }));
  const outcomes = rules.map((rule): ExecutionOutcome => ({ rule, scheduled: 0, executed: 0, failure: undefined }));
  const steps = [...nextHistories(histories, rules, new Map(), outcomes)].length;
  t.ok(steps > 90, `${steps} steps`);
});

t.test('the history keeps the last executions of each rule', async t => {
  const rule = { name: 'up', schedule: '* * * * *', targetReplicas: 5, successfulHistoryLimit: 2 };
  const outcome = (minute: number, failure?: string): ExecutionOutcome => ({
    rule,
    scheduled: instant('2026-01-01T00:00:00Z') + minute * 60_000,
    executed: instant('2026-01-01T00:00:01Z') + minute * 60_000,
    failure,
  });
  const next = new Map([['up', instant('2026-01-01T00:09:00Z')]]);
  const before = [
    { ruleName: 'gone', nextExecutionTime: '2026-01-01T00:00:00Z' },
    { ruleName: 'up', nextExecutionTime: '2026-01-01T00:00:00Z' },
  ];
  const after = atOnce(nextHistories(before, [rule], next, [outcome(1), outcome(2, 'no'), outcome(3), outcome(4)]));
  const at = (minute: number): object => ({
    scheduleTime: `2026-01-01T00:0${minute}:00Z`,
    executionTime: `2026-01-01T00:0${minute}:01Z`,
  });
  t.same(after, [
    {
      ruleName: 'up',
      nextExecutionTime: '2026-01-01T00:09:00Z',
      successfulExecutions: [
        { ...at(4), appliedReplicas: 5 },
        { ...at(3), appliedReplicas: 5 },
      ],
      failedExecutions: [{ ...at(2), message: 'no' }],
    },
  ]);
  const [suspended] = atOnce(nextHistories(after, [rule], new Map(), []));
  t.equal(suspended?.nextExecutionTime, undefined, 'a suspended rule has no next execution');
  t.equal(suspended?.successfulExecutions?.length, 2, 'and keeps its history');
});

t.test('of the executions that wait for the status, only those are kept that its history can hold', async t => {
  const many = { name: 'many', schedule: '* * * * *', successfulHistoryLimit: 2, failedHistoryLimit: 1 };
  const few = { name: 'few', schedule: '* * * * *' };
  const outcome = (rule: CronRule, minute: number, failure?: string): ExecutionOutcome => {
    const at = minute * 60_000;
    return { rule, scheduled: at, executed: at, failure };
  };
  const minutes = [...Array(100).keys()];
  const outcomes = minutes.flatMap(minute => [
    ...[outcome(many, minute), outcome(many, minute, 'no')],
    ...[outcome(few, minute), outcome(few, minute, 'no')],
  ]);
  const rules = [many, few];
  const kept = lastOutcomes(rules, outcomes);
  t.equal(kept.length, 2 + 1 + 3 + 3);
  const histories = (given: readonly ExecutionOutcome[]) => atOnce(nextHistories([], rules, new Map(), given));
  t.same(histories(kept), histories(outcomes), 'the same history');
  t.same(
    lastOutcomes([many], kept),
    kept.filter(({ rule }) => rule === many),
    'a rule that is gone',
  );
});
