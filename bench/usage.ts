import fs from 'node:fs';

/** CPU time and memory of processes. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly rssBytes: number;
}

/** Unit of CPU times in /proc: Linux reports hundredths of seconds. */
const ticksPerSecond = 100;

function cpuSeconds(pid: number): number {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The program's name, in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

function rssBytes(pid: number): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Returns the pids of a process and its descendants. */
function withDescendants(pid: number): number[] {
  const tasks = fs.readdirSync(`/proc/${pid}/task`);
  const children = tasks.flatMap(task => fs.readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '));
  return [pid, ...children.filter(Boolean).flatMap(child => withDescendants(Number(child)))];
}

/** Returns the sum over the processes and their descendants; undefined without any. Throws if one has ended. */
export function usageOf(roots: readonly number[]): Usage | undefined {
  if (roots.length === 0) return undefined;
  const pids = [...new Set(roots.flatMap(withDescendants))];
  const sum = (of: (pid: number) => number): number => pids.reduce((all, pid) => all + of(pid), 0);
  return { cpuSeconds: sum(cpuSeconds), rssBytes: sum(rssBytes) };
}

/** Waits until the processes are idle: at least `seconds`, at most half a minute. Resolves with their usage then. */
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
