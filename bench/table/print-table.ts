import { type Line, markdown, number } from '../print.js';
import type { Sample } from '../sample.js';
import { type Goal, compareWithGoals, measures, type Metric, type StorageKind } from './goals.js';

/** One row of the table: the sample of the measured server, and those of others in the same run. */
export interface Result {
  readonly goals: readonly Goal[];
  readonly ours: Line;
  readonly others: readonly Line[];
}

interface Column {
  readonly title: string;
  readonly of: (sample: Sample) => number | undefined;
}

const measure = (title: string, metric: Metric): Column => ({ title, of: sample => measures[metric].of(sample) });

const part = (title: string, of: (sample: Sample) => number | undefined): Column => ({
  title,
  of(sample) {
    const seconds = of(sample);
    return seconds === undefined ? undefined : seconds / sample.seconds;
  },
});

const columns: readonly Column[] = [
  measure('rate/s', 'rate'),
  measure('p50 ms', 'p50'),
  measure('p99 ms', 'p99'),
  { title: 'CPU s', of: ({ cpuSeconds }) => cpuSeconds },
  measure('CPU us each', 'each'),
  measure('cores', 'cores'),
  part('etcd cores', ({ storeCpuSeconds }) => storeCpuSeconds),
  part('client cores', ({ clientCpuSeconds }) => clientCpuSeconds),
  measure('RSS MiB', 'rss'),
];

const cells = (sample: Sample): string[] => columns.map(({ of }) => number(of(sample)));

function ratios(one: Sample, other: Sample): string[] {
  return columns.map(({ of }) => {
    const [a, b] = [of(one), of(other)];
    return a === undefined || b === undefined || b === 0 ? '-' : `${number(a / b)}x`;
  });
}

/** Returns the table; each row is followed by the other servers and the ratios to them. */
export function printTable(results: readonly Result[], storage: StorageKind): string {
  const lines: string[][] = [['what', 'server', 'wanted', 'measured', 'met', ...columns.map(({ title }) => title)]];
  for (const { goals, ours, others } of results) {
    const { wanted, measured, met } = compareWithGoals(ours.sample, goals, storage);
    const metText = met === undefined ? '' : met ? 'yes' : 'no';
    lines.push([ours.sample.name, ours.server, wanted, measured, metText, ...cells(ours.sample)]);
    for (const { server, sample } of others) {
      lines.push(['', server, '', compareWithGoals(sample, goals, storage).measured, '', ...cells(sample)]);
      lines.push(['', `ratio to ${server}`, '', '', '', ...ratios(ours.sample, sample)]);
    }
  }
  return markdown(lines, 5);
}
