/**
 * Members in a thread of their own. They are other people's clusters: what they do must not take the time of the control plane's
 * event loop, and they are reached over HTTPS and nothing else.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { LogFormat, Logger, LogLevel } from '../apiserver/main/logger.js';

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

export type FleetReport = { readonly members: readonly FleetMember[] } | { readonly failure: FleetFailure };

export interface Fleet {
  /** In the order of their names in the options. */
  readonly members: readonly FleetMember[];
  stop(): Promise<void>;
}

/** Megabytes for young objects: most of what a member makes is garbage by its next turn, and must not be copied to find that out. */
const youngMb = 48;

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
    const { name, message, code } = report.failure;
    throw Object.assign(new Error(`a member cannot start: ${message}`), {
      name,
      ...(code === undefined ? {} : { code }),
    });
  }
  let stopping = false;
  worker.on('error', error => log.error({ err: error }, 'the simulated members have failed'));
  worker.on('exit', () => {
    if (!stopping) log.error({}, 'the simulated members have ended');
  });
  const place = new Map(options.names.map((name, i) => [name, i]));
  return {
    members: [...report.members].sort((a, b) => (place.get(a.name) ?? 0) - (place.get(b.name) ?? 0)),
    async stop() {
      stopping = true;
      worker.postMessage('stop');
      await ended;
    },
  };
}
