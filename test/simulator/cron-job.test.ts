import t from 'tap';
import { parseCron } from '../../controllers/autoscale/cron.js';
import { dueAt } from '../../simulator/workloads/cron-job.js';

const at = (time: string): number => Date.parse(`2026-03-01T${time}Z`);

const table: { name: string; given: [schedule: string, earliest: number, now: number]; expect: number | undefined }[] =
  [
    { name: 'nothing yet', given: ['0 * * * *', at('10:00:00'), at('10:59:59')], expect: undefined },
    { name: 'at its instant', given: ['0 * * * *', at('10:00:00'), at('11:00:00')], expect: at('11:00:00') },
    { name: 'a while after it', given: ['0 * * * *', at('10:30:00'), at('11:20:00')], expect: at('11:00:00') },
    { name: 'the last of a few', given: ['*/10 * * * *', at('10:01:00'), at('10:35:00')], expect: at('10:30:00') },
    {
      name: 'the last of a year of minutes',
      given: ['* * * * *', Date.parse('2025-03-01T00:00:00Z'), at('12:34:56')],
      expect: at('12:34:00'),
    },
    {
      name: 'the last one, at uneven distances',
      given: ['0 0,6 * * *', Date.parse('2026-02-01T01:00:00Z'), at('05:00:00')],
      expect: at('00:00:00'),
    },
  ];

t.test('when a CronJob is due', async t => {
  for (const { name, given, expect } of table) {
    const [schedule, earliest, now] = given;
    t.equal(dueAt(parseCron(schedule, 'UTC'), earliest, now), expect, name);
  }
});
