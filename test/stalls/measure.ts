/** Plays a row against a server of its own while a client asks for `/version` and an informer watches. */
import fs from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Test } from 'tap';
import { backend } from '../aggregation/backend.js';
import { startWebhook } from '../aggregation/webhooks.js';
import { sendRaw, Streams } from '../conformance/fuzz/send.js';
import { random } from '../random.js';
import type { Stall } from './inside.js';
import { Informer, VersionAsker } from './clients.js';
import { fuzzRequestOf, type HostileRequest, type Row, type Scene } from './row.js';
import { startWatched, type WatchedServer } from './server.js';

export interface Limits {
  /** Milliseconds. */
  readonly stall: number;
  /** Part of the memory before by which it may be more afterwards. */
  readonly memory: number;
  /** Bytes that are not looked at: what any request leaves behind. */
  readonly slack: number;
}

export const limits: Limits = { stall: 100, memory: 0.1, slack: 8 << 20 };

export interface Result {
  readonly row: string;
  /** Milliseconds without what the process waited for a CPU; `atLeast`: it did not come back. */
  readonly stall: Stall & { readonly atLeast: boolean };
  /** Milliseconds. */
  readonly versionP99: number;
  /** Bytes of objects, and what is resident. Undefined when the server has ended. */
  readonly before: NodeJS.MemoryUsage | undefined;
  readonly after: NodeJS.MemoryUsage | undefined;
  /** Bytes that were resident at the most. */
  readonly peak: number;
  /** What is wrong; empty when all is well. */
  readonly faults: readonly string[];
}

/** Milliseconds of a server's own doing after which nobody waits for it any longer. */
const patience = 10_000;
/** Bytes that a server may have resident before it is ended, for the sake of the machine. */
const mostResident = 4 * 1024 ** 3;
/** A server in a heap without a bound would take the machine's memory before it fails. */
const heap = '--max-old-space-size=2048';
/** Of the size of a row, for what is loaded and compiled at the first time. */
const small = 1 / 50;

/** Nanoseconds in which the main thread of a process has waited for a CPU, as milliseconds; the last one known when it has ended. */
function waitedMs(pid: number): number {
  try {
    return Number(fs.readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

function residentBytes(pid: number): number {
  try {
    return Number(fs.readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * 4096;
  } catch {
    return 0;
  }
}

/** Ends a server that does not come back. */
class Guard {
  readonly #server: WatchedServer;
  readonly #asker: VersionAsker;
  readonly #timer: NodeJS.Timeout;
  #since = 0;
  #waited = 0;
  /** Milliseconds for which the server had stood when it was ended. */
  stuck = 0;
  peak = 0;
  /** Why the server was ended. */
  reason: string | undefined;

  constructor(server: WatchedServer, asker: VersionAsker) {
    this.#server = server;
    this.#asker = asker;
    this.#timer = setInterval(() => this.#look(), 50);
  }

  #look(): void {
    const { pid } = this.#server;
    if (this.#since !== this.#asker.askedAt) {
      this.#since = this.#asker.askedAt;
      this.#waited = waitedMs(pid);
    }
    const stood = performance.now() - this.#since - (waitedMs(pid) - this.#waited);
    this.peak = Math.max(this.peak, residentBytes(pid));
    if (this.reason !== undefined || (stood < patience && this.peak < mostResident)) return;
    this.stuck = stood;
    this.reason =
      stood < patience ? `${this.peak >> 20} MB are resident` : `/version had no answer for ${Math.round(stood)} ms`;
    this.#server.kill();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

interface Playing {
  readonly t: Test;
  readonly row: Row;
  readonly server: WatchedServer;
  readonly streams: Streams;
}

function sceneOf({ t, row, server, streams }: Playing, size: number, round: number): Scene {
  let names = 0;
  const ended = (): boolean => server.end() !== undefined;
  const send = async (request: HostileRequest) => {
    if (ended()) throw new Error('the server has ended');
    return streams.send(fuzzRequestOf(request));
  };
  return {
    target: server.target,
    size,
    random: random(round * 7919 + row.name.length),
    name: (prefix = 'stall') => `${prefix}-${round}-${++names}`,
    send,
    async must(request) {
      const outcome = await send(request);
      if (outcome.status < 200 || outcome.status > 299)
        throw new Error(`${request.method} ${request.path}: ${outcome.status} ${outcome.text.slice(0, 500)}`);
      return outcome;
    },
    raw: bytes => sendRaw(server.target, bytes),
    webhook: answer => startWebhook(t, answer),
    backend: () => backend(t),
  };
}

const held = ({ heapUsed, external }: NodeJS.MemoryUsage): number => heapUsed + external;

/** Memory once it is back, or after some tries. */
async function memoryBack(server: WatchedServer, before: NodeJS.MemoryUsage | undefined) {
  let after: NodeJS.MemoryUsage | undefined;
  for (let i = 0; i < 20; i++) {
    after = await server.memory();
    if (!after || !before || held(after) <= most(before)) return after;
    await setTimeout(250);
  }
  return after;
}

const most = (before: NodeJS.MemoryUsage): number => held(before) * (1 + limits.memory) + limits.slack;

const megabytes = (bytes: number): string => `${Math.round(bytes / (1 << 20))} MiB`;

/** What a play has shown. */
interface Shown {
  readonly stall: Stall | undefined;
  readonly before: NodeJS.MemoryUsage | undefined;
  readonly after: NodeJS.MemoryUsage | undefined;
  readonly faults: readonly string[];
}

/** Plays a row once small, for what is loaded at the first time, and then at its size. */
async function play(playing: Playing, asker: VersionAsker, informer: Informer): Promise<Shown> {
  const { row, server, streams } = playing;
  const faults: string[] = [];
  const failed = (error: unknown): void => {
    if (server.end() === undefined) faults.push(String(error));
  };
  await row.prepare?.(sceneOf(playing, row.size, 0));
  await row.play(sceneOf(playing, Math.max(1, Math.round(row.size * small)), 0)).catch(failed);
  const before = await server.memory();
  asker.begin();
  await server.beginStalls();
  const rounds = row.rounds ?? 2;
  for (let round = 1; round <= rounds && server.end() === undefined; round++)
    await row.play(sceneOf(playing, row.size, round)).catch(failed);
  const stall = await server.longestStall();
  const after = await memoryBack(server, before);
  if (server.end() === undefined && !(await informer.hears(streams).catch(() => false)))
    faults.push('the informer hears of nothing more');
  return { stall, before, after, faults };
}

function faultsOf({ stall, before, after }: Shown): string[] {
  const faults: string[] = [];
  if (stall && stall.own >= limits.stall) faults.push(`a stall of ${Math.round(stall.own)} ms`);
  if (before && after && held(after) > most(before))
    faults.push(`${megabytes(held(after) - held(before))} more than the ${megabytes(held(before))} before`);
  return faults;
}

export async function measure(t: Test, row: Row): Promise<Result> {
  const server = await startWatched(t, {
    node: ['env', '-u', 'NODE_OPTIONS', process.execPath, heap],
    ...(row.flags && { flags: row.flags }),
  });
  const streams = new Streams(server.target);
  const asker = new VersionAsker(server.target);
  const informer = new Informer(server.target);
  const guard = new Guard(server, asker);
  const clients = [asker.run(), informer.run()];
  const shown = await play({ t, row, server, streams }, asker, informer).finally(() => {
    for (const each of [guard, asker, informer]) each.stop();
    streams.close();
  });
  await Promise.all(clients);
  const how = server.end() ?? (await server.stop());
  const ended =
    guard.reason ??
    (how === 'exit code 0' ? undefined : `the server ended: ${how} ${server.complaints().join(' ').slice(0, 1000)}`);
  const faults = ended === undefined ? [...shown.faults, ...faultsOf(shown)] : [ended];
  const stuck = { own: guard.stuck, wall: guard.stuck, cpu: guard.stuck, atLeast: true };
  return {
    ...{
      row: row.name,
      before: shown.before,
      after: shown.after,
      peak: guard.peak,
      versionP99: asker.percentile(0.99),
    },
    stall: shown.stall ? { ...shown.stall, atLeast: false } : stuck,
    faults,
  };
}
