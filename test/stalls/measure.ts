/** Plays a row against a server while a client asks for `/version` and an informer watches. */
import { setTimeout } from 'node:timers/promises';
import type { Test } from 'tap';
import { backend } from '../aggregation/backend.js';
import { startWebhook } from '../aggregation/webhooks.js';
import { sendRaw, Streams } from '../conformance/fuzz/send.js';
import { random } from '../random.js';
import type { Stall } from './inside.js';
import { isTooLong, limits } from './limits.js';
import { fuzzRequestOf, type HostileRequest, type Row, type Scene } from './row.js';
import type { WatchedServer } from './server.js';
import type { Stage, Stages } from './stage.js';

export interface Result {
  readonly row: string;
  /** `atLeast`: it did not come back. */
  readonly stall: Stall & { readonly atLeast: boolean };
  /** Milliseconds. */
  readonly versionP99: number;
  /** Bytes. Undefined when the server has ended. */
  readonly before: NodeJS.MemoryUsage | undefined;
  readonly after: NodeJS.MemoryUsage | undefined;
  /** Bytes that were resident at the most. */
  readonly peak: number;
  /** What is wrong; empty when all is well. */
  readonly faults: readonly string[];
}

/** Of the size of a row, for what is loaded and compiled at the first time. */
const small = 1 / 50;

interface Playing {
  readonly t: Test;
  readonly row: Row;
  readonly stage: Stage;
}

function sceneOf({ t, row, stage: { server, streams } }: Playing, size: number, round: number): Scene {
  let names = 0;
  const label = row.name.replaceAll('/', '-');
  const send = async (request: HostileRequest) => {
    if (server.end() !== undefined) throw new Error('the server has ended');
    // A stream or connection that the server breaks off is an answer, too.
    return streams.send(fuzzRequestOf(request)).catch((error: unknown) => {
      if (server.end() !== undefined) throw error;
      return { status: 0, text: String(error) };
    });
  };
  return {
    target: server.target,
    size,
    random: random(round * 7919 + row.name.length),
    name: (prefix = label) => `${prefix}-${round}-${++names}`,
    send,
    async must(request) {
      const outcome = await send(request);
      if (outcome.status < 200 || outcome.status > 299)
        throw new Error(`${request.method} ${request.path}: ${outcome.status} ${outcome.text.slice(0, 500)}`);
      return outcome;
    },
    raw: bytes => sendRaw(server.target, bytes).catch(() => ''),
    webhook: answer => startWebhook(t, answer),
    backend: () => backend(t),
  };
}

const held = ({ heapUsed, external }: NodeJS.MemoryUsage): number => heapUsed + external;
const maxHeld = (before: NodeJS.MemoryUsage, { keeps = 0 }: Row): number =>
  held(before) * (1 + limits.memory) + limits.slack + keeps;
const megabytes = (bytes: number): string => `${Math.round(bytes / (1 << 20))} MiB`;

/** Memory once it is back, or after some tries. */
async function memoryBack(server: WatchedServer, row: Row, before: NodeJS.MemoryUsage | undefined) {
  let after: NodeJS.MemoryUsage | undefined;
  for (let i = 0; i < 20; i++) {
    after = await server.memory();
    if (!after || !before || held(after) <= maxHeld(before, row)) return after;
    await setTimeout(250);
  }
  return after;
}

/** What a play has shown. */
interface Shown {
  readonly stall: Stall | undefined;
  readonly before: NodeJS.MemoryUsage | undefined;
  readonly after: NodeJS.MemoryUsage | undefined;
  readonly faults: readonly string[];
}

/** Plays a row once small, for what is loaded at the first time, and then at its size. */
async function play(playing: Playing): Promise<Shown> {
  const { row, stage } = playing;
  const { server, informer } = stage;
  const faults: string[] = [];
  const failed = (error: unknown): void => {
    if (server.end() === undefined) faults.push(String(error));
  };
  await row.prepare?.(sceneOf(playing, row.size, 0)).catch(failed);
  await row.play(sceneOf(playing, Math.max(1, Math.round(row.size * small)), 0)).catch(failed);
  const before = await server.memory();
  stage.asker.begin();
  stage.guard.begin();
  await server.beginStalls();
  const rounds = row.rounds ?? 2;
  for (let round = 1; round <= rounds && server.end() === undefined; round++)
    await row.play(sceneOf(playing, row.size, round)).catch(failed);
  const stall = await server.longestStall();
  const after = await memoryBack(server, row, before);
  if (server.end() === undefined && !(await informer.hears(new Streams(server.target)).catch(() => false)))
    faults.push('the informer hears of nothing more');
  return { stall, before, after, faults: [...faults, ...server.complaints()] };
}

function faultsOf(row: Row, { stall, before, after }: Shown): string[] {
  const faults: string[] = [];
  if (stall && isTooLong(stall))
    faults.push(`a stall of ${Math.round(stall.cpu)} ms, slowness ${stall.slowness.toFixed(1)}`);
  if (before && after && held(after) > maxHeld(before, row))
    faults.push(`${megabytes(held(after) - held(before))} more than the ${megabytes(held(before))} before`);
  return faults;
}

/** What a row has done to a server. A server that shows a fault serves no other row. */
export async function measure(t: Test, stages: Stages, row: Row): Promise<Result> {
  const stage = await stages.stageFor(row.flags);
  const { guard, asker } = stage;
  const shown = await play({ t, row, stage }).catch(async (error: unknown) => {
    await stages.close();
    throw error;
  });
  let faults = [...shown.faults, ...faultsOf(row, shown)];
  if (faults.length > 0 || stage.server.end() !== undefined) {
    const ended = await stages.close();
    if (ended !== undefined) faults = [ended];
  }
  const stuck = { own: guard.stuck, wall: guard.stuck, cpu: guard.stuck, slowness: 1, atLeast: true };
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
