/** Plays a row against a server while one client requests `/version` and another one watches. */
import { setTimeout } from 'node:timers/promises';
import type { Test } from 'tap';
import { backend } from '../aggregation/backend.js';
import { startWebhook } from '../aggregation/webhooks.js';
import { sendRaw, Streams } from '../conformance/fuzz/send.js';
import { random } from '../random.js';
import type { Latency } from './clients.js';
import { isTooLong, type JudgedStall, limits } from './limits.js';
import { fuzzRequestOf, type HostileRequest, type Row, type Fixture } from './row.js';
import type { WatchedServer } from './server.js';
import type { Stage, Stages } from './stage.js';

export interface Result {
  readonly row: string;
  /** `atLeast`: the stall had not ended when the server was killed. */
  readonly stall: JudgedStall & { readonly atLeast: boolean };
  /** The 99th percentile of the latency of `/version`. */
  readonly versionP99: Latency;
  /** Memory usage, in bytes. Undefined if the server has ended. */
  readonly before: NodeJS.MemoryUsage | undefined;
  readonly after: NodeJS.MemoryUsage | undefined;
  /** The peak of the resident memory, in bytes. */
  readonly peak: number;
  /** The violated limits and other failures. */
  readonly faults: readonly string[];
}

/** The part of its size with which a row is played first, since some code is loaded and compiled on first use. */
const warmUpPart = 1 / 50;

interface Playing {
  readonly t: Test;
  readonly row: Row;
  readonly stage: Stage;
}

/** `warmUp`: the play is the small one. */
function sceneOf(playing: Playing, size: number, { warmUp }: { readonly warmUp: boolean }): Fixture {
  const { t, row, stage } = playing;
  const { server, streams, management } = stage;
  const index = warmUp ? 0 : 1;
  let names = 0;
  const label = row.name.replaceAll('/', '-');
  const send = async (request: HostileRequest) => {
    if (server.end() !== undefined) throw new Error('the server has ended');
    // The server may also reset the stream or close the connection.
    return streams.send(fuzzRequestOf(request)).catch((error: unknown) => {
      if (server.end() !== undefined) throw error;
      return { status: 0, text: String(error) };
    });
  };
  return {
    target: server.target,
    size,
    warmUp,
    random: random(index * 7919 + row.name.length),
    name: (prefix = label) => `${prefix}-${index}-${++names}`,
    send,
    async must(request) {
      const outcome = await send(request);
      if (outcome.status < 200 || outcome.status > 299)
        throw new Error(`${request.method} ${request.path}: ${outcome.status} ${outcome.text.slice(0, 500)}`);
      return outcome;
    },
    raw: bytes => sendRaw(server.target, bytes).catch(() => ''),
    rawWithoutCertificate(bytes) {
      const { host, port, ca } = server.target;
      return sendRaw({ host, port, ca }, bytes, false);
    },
    webhook: answer => startWebhook(t, answer),
    backend: () => backend(t),
    management,
  };
}

const usedBytes = ({ heapUsed, external }: NodeJS.MemoryUsage): number => heapUsed + external;
const maxUsedBytes = (before: NodeJS.MemoryUsage, { retainedBytes = 0 }: Row): number =>
  usedBytes(before) * (1 + limits.memory) + limits.slack + retainedBytes;
const megabytes = (bytes: number): string => `${Math.round(bytes / (1 << 20))} MiB`;

/** Returns the memory usage once it is below the limit, or after some tries; undefined if the server has ended. */
async function settledMemory(server: WatchedServer, row: Row, before: NodeJS.MemoryUsage | undefined) {
  let after: NodeJS.MemoryUsage | undefined;
  for (let i = 0; i < 20; i++) {
    after = await server.memory();
    if (!after || !before || usedBytes(after) <= maxUsedBytes(before, row)) return after;
    await setTimeout(250);
  }
  return after;
}

/** The measurements of one play. */
interface Measured {
  readonly stall: JudgedStall | undefined;
  readonly versionP99: Latency;
  readonly before: NodeJS.MemoryUsage | undefined;
  readonly after: NodeJS.MemoryUsage | undefined;
  /** The peak of the resident memory, in bytes. */
  readonly peak: number;
  readonly faults: readonly string[];
}

/** Returns the longest stall of the play, with the slowness of the machine if the row is over a limit. */
async function longestStall({ row, stage }: Playing, { scheduled }: Latency): Promise<JudgedStall | undefined> {
  const stall = await stage.server.longestStall();
  const isLate = row.limitsLatency && !(scheduled < limits.versionP99);
  return stall && isLate ? { ...stall, slowness: await stage.server.slowness() } : stall;
}

/** Plays a row once in a small size, since some code is loaded on first use, and then in its full size. */
async function play(playing: Playing): Promise<Measured> {
  const { row, stage } = playing;
  const { server, informer, versionClient } = stage;
  const faults: string[] = [];
  const failed = (error: unknown): void => {
    if (server.end() === undefined) faults.push(String(error));
  };
  await row.prepare?.(sceneOf(playing, row.size, { warmUp: true })).catch(failed);
  await row.play(sceneOf(playing, Math.max(1, Math.round(row.size * warmUpPart)), { warmUp: true })).catch(failed);
  const before = await server.memory();
  versionClient.begin();
  stage.guard.begin();
  await server.beginStalls();
  if (server.end() === undefined) await row.play(sceneOf(playing, row.size, { warmUp: false })).catch(failed);
  const versionP99 = versionClient.p99;
  const stall = await longestStall(playing, versionP99);
  const after = await settledMemory(server, row, before);
  if (server.end() === undefined && !(await informer.receivesChange(new Streams(server.target)).catch(failed)))
    faults.push('the informer receives no more changes');
  const { peak } = stage.guard;
  return { stall, versionP99, before, after, peak, faults: [...faults, ...server.unexpectedLines()] };
}

function faultsOf(row: Row, { stall, versionP99, before, after, peak }: Measured): string[] {
  const faults: string[] = [];
  if (stall && isTooLong(stall))
    faults.push(`a stall of ${Math.round(stall.cpu)} ms, slowness ${stall.slowness.toFixed(1)}`);
  const { scheduled } = versionP99;
  if (row.limitsLatency && stall && !(scheduled < limits.versionP99 * stall.slowness))
    faults.push(`a p99 of /version of ${Math.round(scheduled)} ms, slowness ${stall.slowness.toFixed(1)}`);
  if (before && after && usedBytes(after) > maxUsedBytes(before, row))
    faults.push(
      `${megabytes(usedBytes(after) - usedBytes(before))} more than the ${megabytes(usedBytes(before))} before`,
    );
  if (before && peak - before.rss > (row.peakBytes ?? Infinity))
    faults.push(`${megabytes(peak - before.rss)} more were resident at a time`);
  return faults;
}

/** Returns the stage of a row, restarted if the row stores something before that. */
async function openStage(t: Test, stages: Stages, row: Row): Promise<Stage> {
  const stage = await stages.stageFor(row);
  if (!row.beforeRestart) return stage;
  await row.beforeRestart(sceneOf({ t, row, stage }, row.size, { warmUp: false }));
  return stages.restarted(row);
}

/** Plays a row and returns the measurements. After a fault, the next row gets a new server. */
export async function measure(t: Test, stages: Stages, row: Row): Promise<Result> {
  const stage = await openStage(t, stages, row);
  const { guard } = stage;
  const measured = await play({ t, row, stage }).catch(async (error: unknown) => {
    await stages.close();
    throw error;
  });
  let faults = [...measured.faults, ...faultsOf(row, measured)];
  if (faults.length > 0 || stage.server.end() !== undefined) {
    const ended = await stages.close();
    if (ended !== undefined) faults = [ended];
  }
  const stuck = { scheduled: guard.stuck, wall: guard.stuck, cpu: guard.stuck, slowness: 1, atLeast: true };
  return {
    ...{
      row: row.name,
      before: measured.before,
      after: measured.after,
      peak: guard.peak,
      versionP99: measured.versionP99,
    },
    stall: measured.stall ? { ...measured.stall, atLeast: false } : stuck,
    faults,
  };
}
