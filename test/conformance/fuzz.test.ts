/**
 * Requests at random against a whole server: whatever comes, it gives an answer of the API. FUZZ_REQUESTS says how many, FUZZ_SEED repeats a
 * run, FUZZ_SECONDS how long it may take.
 */
import process from 'node:process';
import v8 from 'node:v8';
import vm from 'node:vm';
import t from 'tap';
import type { Logger } from '../../apiserver/main/logger.js';
import { runningServer } from '../apiserver/running.js';
import { isDeliberate } from './fuzz/deliberate.js';
import { mutated } from './fuzz/mutate.js';
import { random } from './fuzz/random.js';
import { type FuzzRequest, recordedRequests, routeRequests } from './fuzz/seeds.js';
import { rawOf, sendRaw, Streams } from './fuzz/send.js';

const numberOf = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

const count = numberOf('FUZZ_REQUESTS', 20_000);
/** The same in every run, so that a run turns red by a change and not by chance: search with others. */
const seed = numberOf('FUZZ_SEED', 1);
const seconds = numberOf('FUZZ_SECONDS', count > 20_000 ? 3600 : 25);
/** Requests at once. */
const lanes = 32;
/** One of so many goes as bytes over HTTP/1.1. */
const rawEvery = 50;
const mostGrowth = 200 * 1024 * 1024;

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc') as () => void;
const heap = (): number => {
  collect();
  return process.memoryUsage().heapUsed;
};

const shown = ({ method, path, headers, body }: FuzzRequest): string =>
  `${method} ${path} ${JSON.stringify(headers)} ${body === undefined ? '' : JSON.stringify(body.toString().slice(0, 1500))}`;

t.test(`requests at random, seed ${seed}`, { timeout: (seconds + 120) * 1000 }, async t => {
  const bugs: string[] = [];
  const failed = (fields: object, message: string): void => {
    const { err } = fields as { err?: unknown };
    bugs.push(`${message}: ${JSON.stringify(fields)} ${err instanceof Error ? (err.stack ?? '') : ''}`);
  };
  const ignore = (): void => undefined;
  const log: Logger = { debug: ignore, info: ignore, warn: ignore, error: failed };
  const unhandled = (error: unknown): void => void bugs.push(`unhandled: ${String((error as Error).stack ?? error)}`);
  process.on('unhandledRejection', unhandled);
  process.on('uncaughtException', unhandled);
  t.teardown(() => process.off('unhandledRejection', unhandled).off('uncaughtException', unhandled));

  const server = await runningServer(t, { log, requestTimeout: 30_000 });
  const seeds = [...recordedRequests(), ...routeRequests(server.catalogue)];
  t.ok(seeds.length > 1000, `${seeds.length} requests to begin with`);
  const deadline = performance.now() + seconds * 1000;
  const statuses = new Map<number, number>();
  const deliberate = new Map<string, number>();
  let sent = 0;
  let before = 0;

  const one = async (streams: Streams): Promise<void> => {
    // Of its own: which lane comes first is not in the seed.
    const dice = random(Math.imul(seed, 0x9e3779b1) + sent);
    const request = mutated(dice.pick(seeds), dice);
    sent++;
    if (sent === Math.floor(count / 5)) before = heap();
    if (sent % rawEvery === 0) {
      const raw = Buffer.concat(Array.from({ length: 3 }, () => rawOf(mutated(dice.pick(seeds), dice))));
      if (dice.chance(0.5)) for (let i = 0; i < 3; i++) raw[dice.below(raw.length)] = dice.below(256);
      if (/watch/.test(raw.toString('latin1'))) return;
      const text = await sendRaw(server, raw);
      if (/caused apiserver to panic/.test(text)) bugs.push(`panic after ${raw.toString('latin1')}`);
      return;
    }
    const { status, text } = await streams.send(request);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status < 500) return;
    // An answer to HEAD does not say why.
    const why = request.method === 'HEAD' ? (await streams.send({ ...request, method: 'GET' })).text : text;
    const reason = isDeliberate(request, status, why);
    if (reason === undefined) bugs.push(`${status} ${text.slice(0, 600)}\n    after ${shown(request)}`);
    else deliberate.set(reason, (deliberate.get(reason) ?? 0) + 1);
  };

  const lane = async (): Promise<void> => {
    const streams = new Streams(server);
    while (sent < count && performance.now() < deadline && bugs.length < 50)
      await one(streams).catch((error: unknown) => void bugs.push(String(error)));
    streams.close();
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: lanes }, lane));
  const took = (performance.now() - began) / 1000;
  t.comment(`${sent} requests in ${took.toFixed(1)} s`);
  t.comment(`answers: ${JSON.stringify(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))}`);
  t.comment(`deliberate: ${JSON.stringify(Object.fromEntries(deliberate))}`);
  for (const bug of new Set(bugs)) t.fail(bug);
  t.ok(sent >= Math.min(count, 1000), `${sent} requests`);
  if (before > 0) {
    const growth = heap() - before;
    t.comment(`heap: ${Math.round(before / 1e6)} MB, ${Math.round(growth / 1e6)} MB more at the end`);
    t.ok(growth < mostGrowth, 'memory stays bounded');
  }
});
