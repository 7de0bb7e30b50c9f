/** Formats the results of rows as a Markdown table. */
import type { Result } from './measure.js';

const heads = [
  'input',
  'longest stall, ms of CPU',
  'ms without waiting for a CPU',
  'p99 of /version, ms',
  'without waiting for a CPU',
  'memory before, MiB',
  'after',
  'resident before, MiB',
  'peak',
  'after',
];

const mib = (bytes: number | undefined): string => (bytes === undefined ? '-' : String(Math.round(bytes / (1 << 20))));
const objects = (usage: NodeJS.MemoryUsage | undefined): number | undefined => usage && usage.heapUsed + usage.external;

function cells({ row, stall, versionP99, before, after, peak }: Result): string[] {
  return [
    row,
    `${stall.atLeast ? 'over ' : ''}${Math.round(stall.cpu)}`,
    stall.scheduled.toFixed(0),
    versionP99.wall.toFixed(0),
    versionP99.scheduled.toFixed(0),
    ...[mib(objects(before)), mib(objects(after))],
    ...[mib(before?.rss), mib(peak), mib(after?.rss)],
  ];
}

export function table(results: readonly Result[]): string {
  const lines = [heads, heads.map((_head, i) => (i === 0 ? '---' : '--:')), ...results.map(cells)];
  return lines.map(line => `| ${line.join(' | ')} |`).join('\n');
}
