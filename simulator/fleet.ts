/**
 * Members in a thread of their own. They are other people's clusters: what they do must not take the time of the control plane's
 * event loop, and they are reached over HTTPS and nothing else.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { LogFormat, Logger, LogLevel } from '../server/logger.js';
import type { Reachability } from './reachability.js';

export interface FleetOptions {
  readonly names: readonly string[];
  /** Each member has a folder of its name in it. */
  readonly directory: string;
  readonly host: string;
  /** The port of the first one, where it is free; the others take those that follow. 0: any. */
  readonly firstPort: number;
  /** Absent: says nothing. */
  readonly logLevel?: LogLevel;
  /** Absent: JSON. */
  readonly logFormat?: LogFormat;
}

export interface FleetMember {
  readonly name: string;
  readonly url: string;
  /** PEM. */
  readonly authority: string;
  /** A client certificate of system:masters; PEM. */
  readonly admin: { readonly certificate: string; readonly key: string };
}

export interface FleetFailure {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
}

/** What the thread is told. */
export type FleetOrder =
  { readonly type: 'stop' } | { readonly type: 'reach'; readonly name: string; readonly reachability: Reachability };

/** What the thread answers to an order `reach`; orders are given one at a time. */
export interface FleetAnswer {
  readonly failure?: FleetFailure;
}

export type FleetReport = { readonly members: readonly FleetMember[] } | { readonly failure: FleetFailure };

export interface Fleet {
  /** In the order of their names in the options. */
  readonly members: readonly FleetMember[];
  /** How each member can be reached at present. */
  readonly reachability: ReadonlyMap<string, Reachability>;
  /** Makes a member fail, or well again. Rejects for an unknown name, and with the system's error when the port of the member is taken. */
  reach(name: string, reachability: Reachability): Promise<void>;
  stop(): Promise<void>;
}

/** Megabytes for young objects: most of what a member makes is garbage by its next turn, and must not be copied to find that out. */
const youngMb = 48;

const errorOf = ({ name, message, code }: FleetFailure, prefix = ''): Error =>
  Object.assign(new Error(prefix + message), { name, ...(code === undefined ? {} : { code }) });

/** Sends orders to the thread and waits for its answers; one order at a time, so that the last one given is the one that holds. */
class Orders {
  readonly reachability: Map<string, Reachability>;
  readonly #worker: Worker;
  #last: Promise<void> = Promise.resolve();

  constructor(worker: Worker, names: readonly string[]) {
    this.#worker = worker;
    this.reachability = new Map(names.map(name => [name, { state: 'running' }]));
  }

  reach(name: string, reachability: Reachability): Promise<void> {
    if (!this.reachability.has(name)) return Promise.reject(new Error(`there is no member ${name}`));
    const done = this.#last.then(() => this.#send(name, reachability));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #send(name: string, reachability: Reachability): Promise<void> {
    const ending = new AbortController();
    const ended = once(this.#worker, 'exit', { signal: ending.signal }).then(
      () => undefined,
      () => undefined,
    );
    this.#worker.postMessage({ type: 'reach', name, reachability } satisfies FleetOrder);
    const answered = once(this.#worker, 'message', { signal: ending.signal }) as Promise<[FleetAnswer]>;
    answered.catch(() => undefined);
    const answer = await Promise.race([answered, ended]);
    ending.abort();
    if (!answer) throw new Error('the simulated members have ended');
    const [{ failure }] = answer;
    if (failure) throw errorOf(failure);
    this.reachability.set(name, reachability);
  }
}

/** Resolves when all members answer; rejects with what stood in the way of one, and then none is left running. */
export async function startFleet(options: FleetOptions, log: Logger): Promise<Fleet> {
  const worker = new Worker(new URL(import.meta.resolve('#dist/simulator/fleet-worker.js')), {
    workerData: options,
    resourceLimits: { maxYoungGenerationSizeMb: youngMb },
  });
  const ended = once(worker, 'exit');
  const [report] = (await once(worker, 'message')) as [FleetReport];
  if ('failure' in report) {
    await ended;
    throw errorOf(report.failure, 'a member cannot start: ');
  }
  let stopping = false;
  worker.on('error', error => log.error({ err: error }, 'the simulated members have failed'));
  worker.on('exit', () => {
    if (!stopping) log.error({}, 'the simulated members have ended');
  });
  const orders = new Orders(worker, options.names);
  const place = new Map(options.names.map((name, i) => [name, i]));
  return {
    members: [...report.members].sort((a, b) => (place.get(a.name) ?? 0) - (place.get(b.name) ?? 0)),
    reachability: orders.reachability,
    reach: (name, reachability) => orders.reach(name, reachability),
    async stop() {
      stopping = true;
      worker.postMessage({ type: 'stop' } satisfies FleetOrder);
      await ended;
    },
  };
}
