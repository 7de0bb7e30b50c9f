/** The log of a simulated container. Most lines follow from the time, so they take no memory, and are the same after a restart of the member. */
import type { ContainerStatus, Pod } from '../../openapi/gen/core-v1.js';

/** An annotation on a Pod: its containers write a line every so many seconds, such as `1` or `0.1`. */
const logSecondsAnnotation = 'simulator.flagship.io/log-every-seconds';

export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly text: string;
}

/** Shortest interval between lines in milliseconds. */
const minInterval = 1;

/** One run of a container: from its start to its end. */
export interface ContainerRun {
  readonly container: string;
  readonly restarts: number;
  readonly started: number;
  /** Absent: it runs. */
  readonly ended?: { readonly time: number; readonly exitCode: number } | undefined;
  /** Milliseconds between lines; 0: none. */
  readonly interval: number;
}

function intervalOf({ metadata }: Pod): number {
  const text = metadata.annotations?.[logSecondsAnnotation] ?? '';
  return /^\d+(?:\.\d+)?$/.test(text) && Number(text) > 0 ? Math.max(Number(text) * 1000, minInterval) : 0;
}

/** Returns the present or the previous run of a container; undefined when there is none. */
export function runOf(
  pod: Pod,
  { name, restartCount = 0, state, lastState }: ContainerStatus,
  previous: boolean,
): ContainerRun | undefined {
  const terminated = previous
    ? lastState?.terminated
    : (state?.terminated ?? (state?.waiting ? lastState?.terminated : undefined));
  const startedAt = previous || terminated ? terminated?.startedAt : state?.running?.startedAt;
  if (startedAt === undefined) return undefined;
  const restarts = previous ? restartCount - 1 : restartCount;
  const ended = terminated && { time: Date.parse(terminated.finishedAt ?? ''), exitCode: terminated.exitCode };
  return { container: name, restarts, started: Date.parse(startedAt), ended, interval: intervalOf(pod) };
}

/** The number of lines by interval until a time. */
const ticksUntil = ({ started, interval, ended }: ContainerRun, now: number): number =>
  interval === 0 ? 0 : Math.max(0, Math.floor(((ended?.time ?? now) - started) / interval));

const startLine = ({ container, restarts, started }: ContainerRun): LogLine => ({
  time: started,
  text: `${container} started${restarts > 0 ? ` (restart ${restarts})` : ''}`,
});

interface Range {
  /** Milliseconds; lines before are left out. */
  readonly since: number;
  /** The number of last lines; absent: all. */
  readonly tail?: number | undefined;
  /** The last line is not left out, though its time is in whole seconds and may be before `since`. */
  readonly withEnd?: boolean;
}

/** Yields the lines of a run until now, in the order of their times. `written`: lines that were given to the container, such as by attach. */
export function* logLines(
  run: ContainerRun,
  written: readonly LogLine[],
  { since, tail, withEnd = false }: Range,
  now: number,
): Generator<LogLine> {
  const { started, interval, ended } = run;
  const end = ended && { time: ended.time, text: `${run.container} ended with exit code ${ended.exitCode}` };
  const ticks = ticksUntil(run, now);
  const others = [startLine(run), ...written, ...(end ? [end] : [])].filter(
    line => line.time >= since || (withEnd && line === end),
  );
  const sinceTick = interval === 0 ? 1 : Math.max(1, Math.ceil((since - started) / interval));
  const firstTick = tail === undefined ? sinceTick : Math.max(sinceTick, ticks - tail + 1);
  const candidates = others.length + Math.max(0, ticks - firstTick + 1);
  let skip = tail === undefined ? 0 : Math.max(0, candidates - tail);
  let tick = firstTick;
  for (const other of [...others, undefined]) {
    for (; tick <= ticks && (!other || started + tick * interval < other.time); tick++)
      if (skip > 0) skip--;
      else yield { time: started + tick * interval, text: `line ${tick}` };
    if (!other) return;
    if (skip > 0) skip--;
    else yield other;
  }
}

/** Returns the time of the next line by interval after a time; Infinity without one. */
export function nextTick(run: ContainerRun, after: number): number {
  if (run.interval === 0 || run.ended) return Infinity;
  return run.started + (Math.floor((after - run.started) / run.interval) + 1) * run.interval;
}

/** Returns a line as a kubelet sends it. as RFC3339NanoFixed */
export const lineText = ({ time, text }: LogLine, timestamps: boolean): string =>
  `${timestamps ? `${new Date(time).toISOString().replace('Z', '000000Z')} ` : ''}${text}\n`;
