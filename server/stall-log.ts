/** The log line about a stall of the event loop. */
import type { Step } from '../apiserver/http/progress.js';
import { Request } from '../apiserver/http/request.js';
import type { Logger } from './logger.js';

/** What a controller works on. */
export interface Reconciling {
  readonly controller: string;
  readonly key: string;
}

/** What may have kept the event loop. */
export type Work = Request | Reconciling;

export interface Stall {
  /** Milliseconds by which the event loop was late. */
  readonly late: number;
  /** Milliseconds, of about that time, in which the thread ran, waited for a CPU, and collected garbage. */
  readonly ran: number;
  readonly waited: number;
  readonly collecting: number;
  /** Whether `ran` and `waited` are known on this system. */
  readonly isKnown: boolean;
  readonly steps: readonly Step<Work>[];
}

type Cause = 'garbage' | 'computing' | 'machine' | 'blocked';

/** Milliseconds. A stall that is shorter is counted in the metric, and not logged. */
export const loggedFrom = 200;

/** What took most of a stall, or as much as makes a line by itself. */
export function causeOf({ late, ran, waited, collecting, isKnown }: Stall): Cause {
  if (collecting > 0 && collecting > (late - waited) / 2) return 'garbage';
  if (!isKnown || ran >= loggedFrom || ran > late / 2) return 'computing';
  return waited > late / 2 ? 'machine' : 'blocked';
}

const lines: Readonly<Record<Cause, readonly [level: 'info' | 'warn', message: string]>> = {
  computing: ['warn', 'the event loop was blocked by computing: nothing else was answered meanwhile'],
  garbage: ['info', 'the event loop was blocked by a collection of garbage'],
  machine: ['info', 'the event loop waited for a CPU: the machine is busy'],
  blocked: ['info', 'the event loop was blocked: the process was suspended, or waited for a disk'],
};

/** Requests and controllers that a line names. */
const maxNamed = 3;
/** Characters of a path or a name of a user. */
const maxText = 200;
/** Milliseconds in which the same cause has one line. */
const quiet = 60_000;
/** Causes that are remembered. */
const maxCauses = 100;

interface Told {
  at: number;
  more: number;
}

/** What made progress right before or after the longest steps, without repetition. */
function worksOf({ steps }: Stall): Work[] {
  const works = new Set<Work>();
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

/** The verb of the API where the request came so far, else the method. */
const verbOf = ({ info, exchange }: Request): string => (info as Request['info'] | undefined)?.verb ?? exchange.method;

function nameOf(work: Work): string {
  if (!(work instanceof Request)) return work.controller;
  return `${verbOf(work)} ${(work.info as Request['info'] | undefined)?.resource ?? ''} ${work.user.name.slice(0, maxText)}`;
}

/** One line for each stall; the same cause again within a minute is only counted, and the next line says how often. */
export class StallLog {
  readonly #log: Logger;
  readonly #clock: () => number;
  readonly #told = new Map<string, Told>();

  /** `clock`: milliseconds. */
  constructor(log: Logger, clock: () => number) {
    this.#log = log;
    this.#clock = clock;
  }

  tell(stall: Stall): void {
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

  /** How often the cause has come again since its last line; undefined when it is only counted now. */
  #repeated(cause: string): number | undefined {
    const now = this.#clock();
    const told = this.#told.get(cause);
    if (told && now - told.at < quiet) {
      told.more++;
      return undefined;
    }
    if (!told && this.#told.size >= maxCauses) this.#told.clear();
    this.#told.set(cause, { at: now, more: 0 });
    return told?.more ?? 0;
  }
}
