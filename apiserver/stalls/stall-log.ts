/** Writes the log line about a stall of the event loop. */
import type { LoopPeriod } from '../http/progress.js';
import { Request } from '../http/request.js';
import type { Logger } from '../../lib/logging/interface.js';

/** A key that a controller reconciles. */
interface Reconciling {
  readonly controller: string;
  readonly key: string;
}

/** Work that may have held the event loop. */
export type RunningWork = Request | Reconciling;

export interface Stall {
  /** Milliseconds by which the event loop was late. */
  readonly late: number;
  /** Milliseconds for which the thread ran, waited for a CPU, and collected garbage, in about that time. */
  readonly ran: number;
  readonly waited: number;
  readonly collecting: number;
  /** Whether `ran` and `waited` are known on this system. */
  readonly isKnown: boolean;
  readonly steps: readonly LoopPeriod<RunningWork>[];
}

type Cause = 'garbage' | 'computing' | 'machine' | 'blocked';

/** Milliseconds. A shorter stall is counted in the metric, but not logged. */
export const loggedFrom = 200;

/**
 * Returns the cause of most of a stall, or of a part that would be logged by itself. The time of a collection includes the time for which it
 * waited for a CPU.
 */
export function causeOf({ late, ran, waited, collecting, isKnown }: Stall): Cause {
  if (isKnown && ran < loggedFrom && waited > late / 2) return 'machine';
  if (collecting > 0 && collecting > (late - waited) / 2) return 'garbage';
  return !isKnown || ran >= loggedFrom || ran > late / 2 ? 'computing' : 'blocked';
}

const lines: Readonly<Record<Cause, readonly [level: 'info' | 'warn', message: string]>> = {
  computing: ['warn', 'the event loop was blocked by computing: nothing else was answered meanwhile'],
  garbage: ['info', 'the event loop was blocked by a collection of garbage'],
  machine: ['info', 'the event loop waited for a CPU: the machine is busy'],
  blocked: ['info', 'the event loop was blocked: the process was suspended, or waited for a disk'],
};

/** The maximum number of requests and controllers in a line. */
const maxNamed = 3;
/** The maximum number of characters of a path or a user name. */
const maxText = 200;
/** Milliseconds within which a cause is logged only once. */
const repeatMs = 60_000;
/** The maximum number of causes whose last line is recorded. */
const maxCauses = 100;

interface LastLine {
  loggedAt: number;
  suppressed: number;
}

/** Returns the work right before or after the longest steps, without duplicates. */
function worksOf({ steps }: Stall): RunningWork[] {
  const works = new Set<RunningWork>();
  for (const { before, after } of steps) for (const work of [before, after]) if (work) works.add(work);
  return [...works].slice(0, maxNamed);
}

function requestFields(request: Request): object {
  const { auditId, exchange, user } = request;
  const bytes = request.header('content-length');
  return {
    auditId,
    verb: verbOf(request),
    path: exchange.path.slice(0, maxText),
    user: user.name.slice(0, maxText),
    ...(bytes !== undefined && { bodyBytes: Number(bytes) }),
  };
}

/** Returns the API verb if it is determined already, otherwise the method. */
const verbOf = ({ info, exchange }: Request): string => (info as Request['info'] | undefined)?.verb ?? exchange.method;

function nameOf(work: RunningWork): string {
  if (!(work instanceof Request)) return work.controller;
  return `${verbOf(work)} ${(work.info as Request['info'] | undefined)?.resource ?? ''} ${work.user.name.slice(0, maxText)}`;
}

/** Logs one line for each stall; the same cause within a minute is only counted, and the next line contains the count. */
export class StallLog {
  readonly #log: Logger;
  readonly #clock: () => number;
  readonly #lastLines = new Map<string, LastLine>();

  /** `clock`: milliseconds. */
  constructor(log: Logger, clock: () => number) {
    this.#log = log;
    this.#clock = clock;
  }

  log(stall: Stall): void {
    const cause = causeOf(stall);
    const works = worksOf(stall);
    const repeated = this.#repeated(cause === 'computing' ? `computing ${works.map(nameOf).join()}` : cause);
    if (repeated === undefined) return;
    const requests = works.filter(work => work instanceof Request);
    const controllers = works.filter(work => !(work instanceof Request));
    const [level, message] = lines[cause];
    const fields = {
      milliseconds: Math.round(stall.late),
      ...(stall.isKnown && { cpuMilliseconds: Math.round(stall.ran) }),
      ...(stall.collecting >= 1 && { garbageMilliseconds: Math.round(stall.collecting) }),
      ...(requests.length > 0 && { requests: requests.map(requestFields) }),
      ...(controllers.length > 0 && { controllers }),
      ...(repeated > 0 && { repeated }),
    };
    this.#log[level](fields, message);
  }

  /** Returns how often the cause has occurred since its last line; undefined when it is only counted now. */
  #repeated(cause: string): number | undefined {
    const now = this.#clock();
    const lastLine = this.#lastLines.get(cause);
    if (lastLine && now - lastLine.loggedAt < repeatMs) {
      lastLine.suppressed++;
      return undefined;
    }
    if (!lastLine && this.#lastLines.size >= maxCauses) this.#lastLines.clear();
    this.#lastLines.set(cause, { loggedAt: now, suppressed: 0 });
    return lastLine?.suppressed ?? 0;
  }
}
