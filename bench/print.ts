import { percentile, type Sample } from './sample.js';

/** One line of the result: the sample of a server over all rounds. */
export interface Line {
  readonly server: string;
  readonly sample: Sample;
}

export const number = (value: number | undefined): string =>
  value === undefined || Number.isNaN(value)
    ? '-'
    : value >= 100
      ? value.toFixed(0)
      : value >= 10
        ? value.toFixed(1)
        : value.toFixed(2);

interface Column {
  readonly title: string;
  readonly of: (sample: Sample) => number | undefined;
}

const mebibyte = 2 ** 20;

const columns: readonly Column[] = [
  { title: 'rate/s', of: ({ count, seconds }) => count / seconds },
  { title: 'p50 ms', of: ({ latencies }) => percentile(latencies, 0.5) },
  { title: 'p99 ms', of: ({ latencies }) => percentile(latencies, 0.99) },
  { title: 'seconds', of: ({ seconds, rounds = 1 }) => seconds / rounds },
  { title: 'CPU s', of: ({ cpuSeconds }) => cpuSeconds },
  { title: 'CPU ms each', of: ({ cpuSeconds, count }) => cpuSeconds && (cpuSeconds / count) * 1000 },
  {
    title: 'in creates',
    of: ({ cpuSeconds, count, createCpuSeconds }) =>
      cpuSeconds === undefined || !createCpuSeconds ? undefined : cpuSeconds / count / createCpuSeconds,
  },
  {
    title: 'members CPU ms each',
    of: ({ memberCpuSeconds, count }) => memberCpuSeconds && (memberCpuSeconds / count) * 1000,
  },
  { title: 'RSS MiB', of: ({ rssBytes }) => rssBytes && rssBytes / mebibyte },
  { title: 'members MiB', of: ({ memberRssBytes }) => memberRssBytes && memberRssBytes / mebibyte },
];

const cells = (sample: Sample): string[] => columns.map(column => number(column.of(sample)));

/** Returns the ratios of the first sample to the second. */
const ratios = (one: Sample, other: Sample): string[] =>
  columns.map(({ of }) => {
    const [a, b] = [of(one), of(other)];
    return a === undefined || b === undefined || b === 0 ? '-' : `${number(a / b)}x`;
  });

/** Returns the lines as a Markdown table; with a peer, the ratios follow each pair. */
export function table(ours: readonly Line[], peers: readonly Line[]): string {
  const rows: string[][] = [['what', 'server', ...columns.map(({ title }) => title)]];
  for (const { server, sample } of ours) {
    rows.push([sample.name, server, ...cells(sample)]);
    const peer = peers.find(each => each.sample.name === sample.name);
    if (!peer) continue;
    rows.push([sample.name, peer.server, ...cells(peer.sample)]);
    rows.push(['', 'ratio', ...ratios(sample, peer.sample)]);
  }
  return markdown(rows, 2);
}

/** Returns rows, the first of which has the titles, as a Markdown table. `texts` is the number of text columns before the numeric ones. */
export function markdown(rows: readonly (readonly string[])[], texts: number): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  const cell = (text: string, i: number): string =>
    i < texts ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0);
  const line = (row: readonly string[]): string => `| ${row.map(cell).join(' | ')} |`;
  const rule = widths.map((width, i) => (i < texts ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  const [head = [], ...rest] = rows;
  return [line(head), `| ${rule.join(' | ')} |`, ...rest.map(line)].join('\n');
}
