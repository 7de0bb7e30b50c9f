import type { Endpoint } from '../../aggregation/interface.js';
import { openHttp1 } from './http1.js';
import { openHttp2 } from './http2.js';
import { commonHeaders, headerLines } from './socket.js';
import type { Done, WatchTask } from './task.js';
import { requestBytes } from './template.js';

const newline = 0x0a;
/** Offset and first letter of the type of a bookmark, `{"type":"BOOKMARK"`, which is not counted as an event. */
const typeAt = 9;
const bookmarkType = 0x42;
const timeoutMs = 60_000;

interface Closable {
  close(): void;
}

/** Times of each write and of its event at each watcher. Each line is one event, in the order of the writes. */
class Deliveries {
  readonly #sent: Float64Array;
  readonly #latencies: Float64Array;
  readonly #writes: number;
  #count = 0;
  #all: () => void = () => undefined;
  readonly complete: Promise<void>;

  constructor(writes: number, watchers: number) {
    this.#writes = writes;
    this.#sent = new Float64Array(writes);
    this.#latencies = new Float64Array(writes * watchers);
    this.complete = new Promise(resolve => (this.#all = resolve));
  }

  get latencies(): Float64Array {
    return this.#latencies;
  }

  get count(): number {
    return this.#count;
  }

  sending(write: number): void {
    this.#sent[write] = performance.now();
  }

  /** hot: returns a function that reads the body of one watch. */
  reader(): (part: Buffer) => void {
    let seen = 0;
    /** Bytes of the incomplete line. */
    let before = 0;
    let isBookmark = false;
    return part => {
      const now = performance.now();
      let start = 0;
      for (;;) {
        const type = start + typeAt - before;
        if (type >= start && type < part.length) isBookmark = part[type] === bookmarkType;
        const end = part.indexOf(newline, start);
        if (end < 0) break;
        if (!isBookmark) this.#record(seen++, now);
        start = end + 1;
        before = 0;
      }
      before += part.length - start;
      if (this.#count === this.#latencies.length) this.#all();
    };
  }

  #record(write: number, now: number): void {
    if (write >= this.#writes) throw new Error('a watch has more events than there were writes');
    this.#latencies[this.#count++] = now - (this.#sent[write] ?? NaN);
  }
}

/** Opens the watches. Resolves when all answers have begun. */
async function openWatches(endpoint: Endpoint, task: WatchTask, deliveries: Deliveries): Promise<Closable[]> {
  if (task.connections === 0) {
    const watch = requestBytes({ method: 'GET', path: task.path }, headerLines(commonHeaders(endpoint)))(0, 0);
    const opened: Closable[] = [];
    for (let i = 0; i < task.watchers; i++) opened.push(await openWatch1(endpoint, watch, deliveries.reader()));
    return opened;
  }
  const connections = await Promise.all(Array.from({ length: task.connections }, () => openHttp2(endpoint)));
  const shares = connections.map((connection, number) => {
    const share = Math.floor((task.watchers + number) / connections.length);
    return Promise.all(Array.from({ length: share }, () => connection.follow(task.path, deliveries.reader())));
  });
  await Promise.all(shares);
  return connections;
}

async function openWatch1(endpoint: Endpoint, watch: Buffer, read: (part: Buffer) => void): Promise<Closable> {
  const connection = await openHttp1(endpoint, read);
  await connection.follow(watch);
  return connection;
}

/** Resolves at the time; at once if it is past. */
const at = (time: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, Math.max(0, time - performance.now())));

async function withTimeout(work: Promise<void>, message: () => string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message())), timeoutMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a watch task. `begin` is called when all watches are open. */
export async function runWatch(endpoint: Endpoint, task: WatchTask, begin: () => void): Promise<Done> {
  const { count, watchers } = task;
  const deliveries = new Deliveries(count, watchers);
  const bytes = requestBytes(task.write, headerLines(commonHeaders(endpoint)));
  const watches = await openWatches(endpoint, task, deliveries);
  // Opened last, since a server may close a connection that is idle while many others are opened.
  const writer = await openHttp1(endpoint);
  try {
    begin();
    const cpu = process.cpuUsage();
    const began = performance.now();
    for (let i = 0; i < count; i++) {
      await at(began + (i * 1000) / task.perSecond);
      deliveries.sending(i);
      await writer.send(bytes(i, 0));
    }
    const missing = (): string => `${deliveries.count} of ${count * watchers} events came`;
    await withTimeout(deliveries.complete, missing);
    const seconds = (performance.now() - began) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    return { seconds, latencies: deliveries.latencies, cpuSeconds: (user + system) / 1e6 };
  } finally {
    for (const watch of watches) watch.close();
    writer.close();
  }
}
