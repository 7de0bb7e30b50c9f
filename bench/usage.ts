import fs from 'node:fs';

/** What processes of this machine have used so far. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly rssBytes: number;
}

/** Linux counts the time of processes in hundredths of seconds for all who read it. */
const ticksPerSecond = 100;

function cpuSeconds(pid: number): number {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in brackets, may have spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

function rssBytes(pid: number): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Of all of them together; undefined when there are none. Throws when one has ended. */
export function usageOf(pids: readonly number[]): Usage | undefined {
  if (pids.length === 0) return undefined;
  const sum = (of: (pid: number) => number): number => pids.reduce((all, pid) => all + of(pid), 0);
  return { cpuSeconds: sum(cpuSeconds), rssBytes: sum(rssBytes) };
}

/** Waits until they hardly work any more; at most half a minute. Resolves with what they hold then. */
export async function idle(pids: readonly number[]): Promise<Usage | undefined> {
  let last = usageOf(pids);
  for (let second = 0; second < 30 && last; second++) {
    await new Promise(resolve => setTimeout(resolve, 1000));
    const now = usageOf(pids);
    const quiet = second >= 4 && now && now.cpuSeconds - last.cpuSeconds < 0.05;
    last = now;
    if (quiet) break;
  }
  return last;
}
