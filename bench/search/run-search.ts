/** `npm run bench -- --search N`: measures queries over N Pods of three members, and the memory of their mirrors. */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { Endpoint } from '../../aggregation/interface.js';
import { plainNode } from '../../tools/plain-node.js';
import { startMembers } from '../members/start-members.js';
import { markdown, number } from '../print.js';
import { repeat } from '../repeat.js';
import { percentile } from '../sample.js';
import { startTarget, type Target } from '../target.js';
import { idle } from '../usage.js';
import { createPods } from './pods.js';

interface SearchOptions {
  /** Number of Pods in all members together. */
  readonly objects: number;
  readonly members: number;
  /** Requests of each kind. */
  readonly requests: number;
  /** Flags of `flagship up`. */
  readonly flags: readonly string[];
  readonly log: (line: string) => void;
}

/** The measurements of one kind of request, one at a time. */
interface SearchRow {
  readonly what: string;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the server per request. */
  readonly cpuMs: number;
  /** The longest turn of the event loop: the shorter of elapsed and CPU time. Below 10 ms it is 0. */
  readonly heldMs: number;
  readonly answerBytes: number;
}

interface SearchResult {
  readonly rows: readonly SearchRow[];
  /** Memory that the mirrors and indexes of an object take in the heap, with buffers, after a garbage collection. */
  readonly bytesPerObject: number;
  /** Seconds from the creation of the registry until every object is found. */
  readonly fillSeconds: number;
}

const root = '/apis/search.karmada.io/v1alpha1';
const mirrored = `${root}/proxying/karmada/proxy/api/v1/pods?resourceVersion=0`;
const timeoutMs = 900_000;
const pollMs = 250;

const search = (query: string, more = ''): string => `${root}/search/cache?q=${encodeURIComponent(query)}${more}`;

/** The requests; the index of the request chooses the value. */
const requests: readonly { readonly what: string; readonly path: (index: number) => string }[] = [
  { what: 'list by a label', path: i => `${mirrored}&labelSelector=app%3Dapp-${i % 100}` },
  {
    what: 'list by a label in a namespace',
    path: i => `${root}/search/cache/api/v1/namespaces/team-${i % 10}/pods?labelSelector=app%3Dapp-${i % 100}`,
  },
  { what: 'list by two labels', path: i => `${mirrored}&labelSelector=tier%3Dfront,app%3Dapp-${i % 100}` },
  { what: 'list by spec.nodeName', path: i => `${mirrored}&fieldSelector=spec.nodeName%3Dnode-${i % 100}` },
  {
    what: 'list by metadata.name',
    path: i => `${mirrored}&fieldSelector=metadata.name%3Dapp-${i % 100}-${(i % 100) * 10}`,
  },
  { what: 'list by a label that no object has', path: i => `${mirrored}&labelSelector=app%3Dnone-${i}` },
  {
    what: 'list by one of several values of a label',
    path: i => `${mirrored}&labelSelector=app%20in%20(app-${i % 100},none)`,
  },
  {
    what: 'list by the absence of a label',
    path: i => `${mirrored}&labelSelector=%21tier,app!%3Dapp-${i % 100}`,
  },
  {
    what: '`q=` of an application, a namespace and a kind',
    path: i => search(`kind:Pod namespace:team-${i % 10} app-${i % 100}`),
  },
  { what: '`q=` of a word that a third of the objects have', path: i => search('front', `&limit=${50 + (i % 2)}`) },
  { what: '`q=` of the beginning of a word of all objects', path: i => search('regist*', `&limit=${50 + (i % 2)}`) },
  { what: '`q=` with an exclusion', path: i => search(`label:app=app-${i % 100} -namespace:team-1`) },
];

/** Returns how many objects a query finds. */
async function found(target: Target): Promise<number> {
  const answer = await target.send('GET', search('kind:Pod', '&limit=1'));
  return (JSON.parse(answer.toString('utf8')) as { readonly total: number }).total;
}

async function waitFor(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${what} after ${timeoutMs / 1000} s`);
    await new Promise(resolve => setTimeout(resolve, pollMs));
  }
}

/** A control plane whose turns of the event loop are recorded. */
class Experiment {
  readonly #target: Target;
  readonly #options: SearchOptions;
  /** The file of the probe. */
  readonly #holds: string;

  constructor(target: Target, options: SearchOptions, holds: string) {
    this.#target = target;
    this.#options = options;
    this.#holds = holds;
  }

  /** Mirrors the Pods of the members that have joined, and sends all requests. */
  async run(): Promise<SearchResult> {
    const { objects, log } = this.#options;
    const { pids } = this.#target;
    await idle(pids, 3);
    const before = await this.#memoryBytes();
    const began = performance.now();
    const spec = { targetCluster: {}, resourceSelectors: [{ apiVersion: 'v1', kind: 'Pod' }] };
    const registry = {
      apiVersion: 'search.karmada.io/v1alpha1',
      kind: 'ResourceRegistry',
      metadata: { name: 'pods' },
      spec,
    };
    await this.#target.send('POST', `${root}/resourceregistries`, JSON.stringify(registry));
    await waitFor('not all objects are found', async () => (await found(this.#target)) === objects);
    const fillSeconds = (performance.now() - began) / 1000;
    await idle(pids, 5);
    const bytesPerObject = ((await this.#memoryBytes()) - before) / objects;
    log(
      `${objects} objects are found after ${fillSeconds.toFixed(0)} s, and take ${bytesPerObject.toFixed(0)} bytes each`,
    );
    const rows: SearchRow[] = [];
    for (const { what, path } of requests) {
      const row = await this.#measure(what, path);
      log(cells(row).join('  '));
      rows.push(row);
    }
    return { rows, bytesPerObject, fillSeconds };
  }

  async #measure(what: string, path: (index: number) => string): Promise<SearchRow> {
    const { requests: count } = this.#options;
    let answerBytes = 0;
    // The first requests compile the code.
    await repeat({ count: Math.min(count, 20), width: 1 }, async i => void (await this.#target.send('GET', path(i))));
    const cpu = this.#cpuSeconds();
    const from = Date.now();
    const latencies = await repeat({ count, width: 1 }, async i => {
      answerBytes += (await this.#target.send('GET', path(i))).length;
    });
    const cpuMs = ((this.#cpuSeconds() - cpu) / count) * 1000;
    const [p50Ms, p99Ms] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
    return { what, p50Ms, p99Ms, cpuMs, heldMs: await this.#longestHold(from), answerBytes: answerBytes / count };
  }

  /** Returns the longest turn since a time. */
  async #longestHold(from: number): Promise<number> {
    const text = await fs.readFile(this.#holds, 'utf8').catch(() => '');
    const turns = text.split('\n').map(line => line.split(' ').map(Number));
    return Math.max(0, ...turns.filter(([at = 0]) => at >= from).map(([, held = 0]) => held));
  }

  #cpuSeconds(): number {
    return this.#target.usage()?.cpuSeconds ?? NaN;
  }

  /** Returns the memory of the server's main thread after a garbage collection. */
  async #memoryBytes(): Promise<number> {
    const file = `${this.#holds}.memory`;
    await fs.rm(file, { force: true });
    process.kill(this.#target.pids[0] ?? 0, 'SIGUSR2');
    let text = '';
    await waitFor('no memory is reported', async () => {
      text = await fs.readFile(file, 'utf8').catch(() => '');
      return text !== '';
    });
    return Number(text);
  }
}

const titles = ['request', 'p50 ms', 'p99 ms', 'CPU ms', 'longest turn ms', 'answer KiB'];

const cells = ({ what, p50Ms, p99Ms, cpuMs, heldMs, answerBytes }: SearchRow): string[] => [
  what,
  ...[p50Ms, p99Ms, cpuMs].map(number),
  heldMs === 0 ? '< 10' : heldMs.toFixed(0),
  (answerBytes / 1024).toFixed(0),
];

/** Returns the rows as a Markdown table. */
export const searchTable = ({ rows }: SearchResult): string => markdown([titles, ...rows.map(cells)], 1);

/** Fills members in another process with Pods, mirrors them, and measures requests one at a time. */
export async function runSearch(options: SearchOptions): Promise<SearchResult> {
  const { members: count, objects, flags, log } = options;
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'flagship-search-'));
  const holds = path.join(directory, 'holds');
  const probe = new URL('./hold-probe.js', import.meta.url);
  probe.search = encodeURIComponent(holds);
  const members = await startMembers(count, { light: true });
  let target: Target | undefined;
  try {
    const share = (member: Endpoint, i: number): Promise<void> =>
      createPods(member, Math.floor(objects / count) + (i < objects % count ? 1 : 0));
    await Promise.all(members.endpoints.map(share));
    log(`${objects} Pods are created`);
    target = await startTarget('flagship', flags, {
      command: [...plainNode, '--expose-gc', '--import', probe.href],
    });
    await members.join(target.endpoint);
    return await new Experiment(target, options, holds).run();
  } finally {
    await target?.close();
    await members.stop();
    await fs.rm(directory, { recursive: true, force: true });
  }
}
