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

/** The process and those that it started. */
function family(pid: number): number[] {
  const tasks = fs.readdirSync(`/proc/${pid}/task`);
  const children = tasks.flatMap(task => fs.readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '));
  return [pid, ...children.filter(Boolean).flatMap(child => family(Number(child)))];
}

/** Of all of them and of those that they started together; undefined when there are none. Throws when one has ended. */
export function usageOf(roots: readonly number[]): Usage | undefined {
  if (roots.length === 0) return undefined;
  const pids = [...new Set(roots.flatMap(family))];
  const sum = (of: (pid: number) => number): number => pids.reduce((all, pid) => all + of(pid), 0);
  return { cpuSeconds: sum(cpuSeconds), rssBytes: sum(rssBytes) };
}

/** Waits until they hardly work any more: `seconds` at least, at most half a minute. Resolves with what they hold then. */
export async function idle(pids: readonly number[], seconds = 5): Promise<Usage | undefined> {
  let last = usageOf(pids);
  for (let second = 0; second < 30 && last; second++) {
    await new Promise(resolve => setTimeout(resolve, 1000));
    const now = usageOf(pids);
    const quiet = second + 1 >= seconds && now && now.cpuSeconds - last.cpuSeconds < 0.05;
    last = now;
    if (quiet) break;
  }
  return last;
}
