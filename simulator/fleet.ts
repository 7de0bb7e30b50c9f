/**
 * Runs members in a separate thread. They simulate other clusters: they do not use the event loop of the control plane, and are accessed over HTTPS
 * only.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { LogFormat, AdjustableLogger, LogLevel } from '../server/logger.js';
import type { Hardware } from './cluster/nodes.js';
import type { Reachability } from './reachability.js';

export interface FleetOptions {
  readonly names: readonly string[];
  /** The folder with a subfolder for each member. */
  readonly directory: string;
  readonly host: string;
  /** The port of the first member, if it is free; the others take the following ports. 0: any. */
  readonly firstPort: number;
  /** The capacity of members by their names, where it is not the usual one. */
  readonly hardware?: Readonly<Record<string, Partial<Hardware>>>;
  /** Members without simulated nodes and workloads, of which one process can run a hundred. */
  readonly light?: boolean;
  /** Absent: nothing is logged. */
  readonly logLevel?: LogLevel;
  /** JSON by default. */
  readonly logFormat?: LogFormat;
}

export interface FleetMember {
  readonly name: string;
  readonly url: string;
  /** The CA certificates of the API server, in PEM. */
  readonly caBundle: string;
  /** A client certificate in system:masters, as PEM. */
  readonly admin: { readonly certificate: string; readonly key: string };
}

export interface FleetFailure {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
}

/** A message to the thread. */
export type FleetOrder =
  { readonly type: 'stop' } | { readonly type: 'reach'; readonly name: string; readonly reachability: Reachability };

/** The answer of the thread to an order `reach`; only one order at a time is under way. */
export interface FleetAnswer {
  readonly failure?: FleetFailure;
}

export type FleetReport = { readonly members: readonly FleetMember[] } | { readonly failure: FleetFailure };

export interface Fleet {
  /** The members, in the order of the names in the options. */
  readonly members: readonly FleetMember[];
  /** The current reachability of each member. */
  readonly reachability: ReadonlyMap<string, Reachability>;
  /** Sets the reachability of a member. Rejects for an unknown name, and with the system's error when the member's port is taken. */
  setReachability(name: string, reachability: Reachability): Promise<void>;
  stop(): Promise<void>;
}

/** Megabytes of the young generation: most objects of a member are garbage by its next turn, and should not be copied before. */
const youngMb = 48;

const errorOf = ({ name, message, code }: FleetFailure, prefix = ''): Error =>
  Object.assign(new Error(prefix + message), { name, ...(code === undefined ? {} : { code }) });

/** Sends orders to the thread one at a time and waits for each answer, so that the last order takes effect last. */
class Orders {
  readonly reachability: Map<string, Reachability>;
  readonly #worker: Worker;
  #last: Promise<void> = Promise.resolve();

  constructor(worker: Worker, names: readonly string[]) {
    this.#worker = worker;
    this.reachability = new Map(names.map(name => [name, { state: 'running' }]));
  }

  setReachability(name: string, reachability: Reachability): Promise<void> {
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

/** Resolves when all members answer. Rejects with the error of the first that cannot start, after all have been stopped. */
export async function startFleet(options: FleetOptions, log: AdjustableLogger): Promise<Fleet> {
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
  const indexByName = new Map(options.names.map((name, i) => [name, i]));
  return {
    members: [...report.members].sort((a, b) => (indexByName.get(a.name) ?? 0) - (indexByName.get(b.name) ?? 0)),
    reachability: orders.reachability,
    setReachability: (name, reachability) => orders.setReachability(name, reachability),
    async stop() {
      stopping = true;
      worker.postMessage({ type: 'stop' } satisfies FleetOrder);
      await ended;
    },
  };
}
