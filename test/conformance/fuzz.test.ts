/**
 * Sends random requests to a whole server, which must answer each of them as the API does, and go on. They are sent twice: the second time finds
 * the objects of the first, so that it may leave no more memory in use. FUZZ_REQUESTS is their number, FUZZ_SEED the seed, FUZZ_SECONDS the
 * longest duration, and FUZZ_NODE the command that runs the server (`env MALLOC_PERTURB_=165 node`).
 */
import process from 'node:process';
import t from 'tap';
import { isDeliberate } from './fuzz/deliberate.js';
import { mutated } from './fuzz/mutate.js';
import { random } from '../random.js';
import { type DiscoveredGroup, type FuzzRequest, recordedRequests, routeRequests } from './fuzz/seeds.js';
import { rawOf, sendRaw, Streams, type Target } from './fuzz/send.js';
import { isTooLong, limits } from '../stalls/limits.js';
import { startWatched } from '../stalls/server.js';

const numberOf = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

const count = numberOf('FUZZ_REQUESTS', 20_000);
/** The seed is the same in every run, so that only a change can make the test fail. Other seeds find new faults. */
const seed = numberOf('FUZZ_SEED', 1);
const seconds = numberOf('FUZZ_SECONDS', count > 20_000 ? 3600 : 25);
/** Number of concurrent requests. */
const lanes = 32;
/** One in this many requests is sent as bytes over HTTP/1.1. */
const rawEvery = 50;
/** Bytes that the history of the objects that the second time changes again may hold. */
const maxHistory = 16 << 20;
/** Bytes by which the resident memory may grow in the second time. */
const maxResident = 100 << 20;

const shown = ({ method, path, headers, body }: FuzzRequest): string =>
  `${method} ${path} ${JSON.stringify(headers)} ${body === undefined ? '' : JSON.stringify(body.toString().slice(0, 1500))}`;

async function discovered(target: Target): Promise<DiscoveredGroup[]> {
  const streams = new Streams(target, Infinity);
  const headers = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
  const groups: DiscoveredGroup[] = [];
  for (const path of ['/api', '/apis']) {
    const { text } = await streams.send({ method: 'GET', path, headers, body: undefined });
    groups.push(...(JSON.parse(text) as { readonly items: readonly DiscoveredGroup[] }).items);
  }
  streams.close();
  return groups;
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
const held = ({ heapUsed, external }: NodeJS.MemoryUsage): number => heapUsed + external;

t.test(`random requests are answered, seed ${seed}`, { timeout: (seconds + 120) * 1000 }, async t => {
  const bugs: string[] = [];
  const server = await startWatched(t, { node: process.env['FUZZ_NODE']?.split(' ') });
  const { target } = server;
  const seeds = [...recordedRequests(), ...routeRequests(await discovered(target))];
  t.ok(seeds.length > 3000, `${seeds.length} seed requests`);
  const began = performance.now();
  const statuses = new Map<number, number>();
  const deliberate = new Map<string, number>();
  let sent = 0;

  const one = async (streams: Streams, index: number): Promise<void> => {
    // Each request has its own generator, since the order of the lanes does not depend on the seed.
    const draw = random(Math.imul(seed, 0x9e3779b1) + index);
    const request = mutated(draw.pick(seeds), draw);
    sent++;
    if (index % rawEvery === 0) {
      const raw = Buffer.concat(Array.from({ length: 3 }, () => rawOf(mutated(draw.pick(seeds), draw))));
      if (draw.chance(0.5)) for (let i = 0; i < 3; i++) raw[draw.below(raw.length)] = draw.below(256);
      if (/watch/.test(raw.toString('latin1'))) return;
      const text = await sendRaw(target, raw);
      if (/caused apiserver to panic/.test(text)) bugs.push(`panic after ${raw.toString('latin1')}`);
      return;
    }
    const { status, text } = await streams.send(request);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status < 500) return;
    // An answer to HEAD has no body with the reason.
    const why = request.method === 'HEAD' ? (await streams.send({ ...request, method: 'GET' })).text : text;
    const reason = isDeliberate(request, status, why);
    if (reason === undefined) bugs.push(`${status} ${text.slice(0, 600)}\n    after ${shown(request)}`);
    else deliberate.set(reason, (deliberate.get(reason) ?? 0) + 1);
  };

  /** Sends the first `number` requests, or fewer when the time is over. Returns how many it has sent. */
  const sendAll = async (number: number): Promise<number> => {
    const until = performance.now() + seconds * 500;
    let next = 0;
    const lane = async (): Promise<void> => {
      const streams = new Streams(target);
      while (next < number && performance.now() < until && bugs.length < 50 && server.end() === undefined)
        await one(streams, next++).catch((error: unknown) => void (server.end() ?? bugs.push(String(error))));
      streams.close();
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return next;
  };
  // Code is loaded and compiled, and documents are made for the first time.
  await sendAll(Math.ceil(count / 20));
  await server.beginStalls();
  const number = await sendAll(Math.ceil(count / 2));
  const first = await server.memory();
  await sendAll(number);
  const took = (performance.now() - began) / 1000;
  t.comment(`${sent} requests in ${took.toFixed(1)} s`);
  t.comment(`answers: ${JSON.stringify(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))}`);
  t.comment(`deliberate: ${JSON.stringify(Object.fromEntries(deliberate))}`);
  t.ok(sent >= Math.min(count, 1000), `${sent} requests`);
  const stall = await server.longestStall();
  const last = await server.memory();
  t.equal(server.end() ?? (await server.stop()), 'exit code 0', 'the server exits only when it is stopped');
  t.strictSame(server.unexpectedLines(), [], 'the server wrote no unexpected lines');
  for (const bug of new Set(bugs)) t.fail(bug);
  if (stall) {
    t.comment(
      `longest stall: ${Math.round(stall.cpu)} ms of CPU, ${Math.round(stall.scheduled)} ms without waiting for a CPU`,
    );
    for (const line of server.stallLines()) t.comment(line);
    t.ok(!isTooLong(stall, limits.stallOfMany), `no request holds the event loop for ${limits.stallOfMany} ms`);
  }
  if (first && last) {
    const growth = held(last) - held(first);
    t.comment(`objects: ${megabytes(held(first))}, ${megabytes(growth)} more at the end`);
    t.comment(`resident: ${megabytes(first.rss)}, ${megabytes(last.rss - first.rss)} more at the end`);
    t.ok(growth < held(first) * limits.memory + limits.slack + maxHistory, 'memory in use is back');
    t.ok(last.rss - first.rss < maxResident, 'resident memory stays bounded');
  }
});
