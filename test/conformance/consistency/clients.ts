/** Clients that read and write a few ConfigMaps through the API, and record their operations and results. */
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type Connection } from '../../../aggregation/remote/connection.js';
import { lines } from '../../../aggregation/remote/mirror/lines.js';
import type { Endpoint } from '../../../aggregation/interface.js';
import type { Event, History, Operation, Tick, Watched } from './history.js';

const namespace = 'registers';
const collection = `/api/v1/namespaces/${namespace}/configmaps`;
const retryMs = 50;
const requestMs = 5000;

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: { readonly value?: string };
}

interface List {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly ConfigMap[];
}

const versionOf = (of: Pick<ConfigMap, 'metadata'> | List): number => Number(of.metadata.resourceVersion);
const valueOf = ({ data }: ConfigMap): string => data?.value ?? '';

interface Notes {
  tick(): Tick;
  note(operation: Operation): void;
  watched(watch: Watched): void;
  /** Returns a value that was never written. */
  fresh(): string;
  /** Number of writes that were acknowledged. */
  readonly acknowledged: number;
  history(): History;
}

export function createNotes(): Notes {
  let [clock, values, acknowledged] = [0, 0, 0];
  const operations: Operation[] = [];
  const watches: Watched[] = [];
  return {
    tick: () => ++clock,
    note(operation) {
      operations.push(operation);
      if (operation.type === 'write' && operation.outcome === 'done') acknowledged++;
    },
    watched: watch => void watches.push(watch),
    fresh: () => `v${++values}`,
    get acknowledged() {
      return acknowledged;
    },
    history: () => ({ operations, watches }),
  };
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a request. Returns undefined if there is no answer, or one that leaves the outcome open (429, 5xx). */
async function ask(connection: Connection, method: string, path: string, body?: object): Promise<Answer | undefined> {
  try {
    const answer = await connection.request({
      method,
      path,
      ...(body && { headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(body)) }),
    });
    if (answer.status >= 500 || answer.status === 429) return undefined;
    return { status: answer.status, body: JSON.parse(answer.body.toString()) as unknown };
  } catch {
    return undefined;
  }
}

const mapOf = (key: string, value: string, version?: number): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: key, ...(version !== undefined && { resourceVersion: String(version) }) },
  data: { value },
});

/** Creates the namespace of the clients. */
export async function createNamespace(endpoint: Endpoint): Promise<void> {
  const connection = connect(endpoint, { userAgent: 'registers/1', timeoutMs: requestMs, onlyHttp1: true });
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  const answer = await ask(connection, 'POST', '/api/v1/namespaces', body);
  await connection.close();
  if (answer?.status !== 201) throw new Error(`the namespace cannot be made: ${JSON.stringify(answer)}`);
}

interface ClientOptions {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly notes: Notes;
  readonly keys: readonly string[];
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** Reads, lists, writes and deletes in random order until the signal aborts. Writes expect the last version that was seen. */
export async function runClient({ name, endpoint, notes, keys, random, signal }: ClientOptions): Promise<void> {
  const connection = connect(endpoint, {
    userAgent: `${name}/1`,
    connections: 1,
    timeoutMs: requestMs,
    onlyHttp1: true,
  });
  const known = new Map<string, number>(); // versions; 0 is an absent key

  async function read(key: string): Promise<boolean> {
    const start = notes.tick();
    const answer = await ask(connection, 'GET', `${collection}/${key}`);
    if (!answer) return false;
    const timed = { type: 'read' as const, client: name, key, start, end: notes.tick() };
    if (answer.status === 404) {
      notes.note({ ...timed, revision: 'absent' });
      known.set(key, 0);
    } else {
      const map = answer.body as ConfigMap;
      notes.note({ ...timed, revision: versionOf(map), value: valueOf(map) });
      known.set(key, versionOf(map));
    }
    return true;
  }

  async function list(): Promise<boolean> {
    const start = notes.tick();
    const answer = await ask(connection, 'GET', collection);
    if (!answer) return false;
    const body = answer.body as List;
    const maps = body.items.filter(({ metadata }) => keys.includes(metadata.name));
    const items = new Map(maps.map(map => [map.metadata.name, { revision: versionOf(map), value: valueOf(map) }]));
    notes.note({
      ...{ type: 'list', client: name, key: '', revision: versionOf(body), items, start },
      end: notes.tick(),
    });
    for (const key of keys) known.set(key, items.get(key)?.revision ?? 0);
    return true;
  }

  async function write(key: string, value: string | undefined, expect: number): Promise<boolean> {
    const start = notes.tick();
    const path = `${collection}/${key}`;
    const answer =
      value === undefined
        ? await ask(connection, 'DELETE', path, { preconditions: { resourceVersion: String(expect) } })
        : expect === 0
          ? await ask(connection, 'POST', collection, mapOf(key, value))
          : await ask(connection, 'PUT', path, mapOf(key, value, expect));
    const done = answer !== undefined && answer.status < 300;
    const revision = done && value !== undefined ? versionOf(answer.body as ConfigMap) : undefined;
    notes.note({
      ...{ type: 'write', client: name, key, value, expect, revision, start, end: notes.tick() },
      outcome: done ? 'done' : answer ? 'refused' : 'unknown',
    });
    if (revision !== undefined) known.set(key, revision);
    else known.delete(key);
    return answer !== undefined;
  }

  while (!signal.aborted) {
    const key = keys[Math.floor(random() * keys.length)] ?? '';
    const version = known.get(key);
    const dice = random();
    let answered: boolean;
    if (dice < 0.1) answered = await list();
    else if (version === undefined || dice < 0.4) answered = await read(key);
    else if (version > 0 && dice < 0.5) answered = await write(key, undefined, version);
    else answered = await write(key, notes.fresh(), version);
    if (!answered) await pause(retryMs);
  }
  await connection.close();
}

interface WatcherOptions extends Omit<ClientOptions, 'random' | 'signal'> {
  /** The value at which the watcher ends. */
  readonly last: string;
  /** Called when the start revision of the watch is known. */
  readonly begun: () => void;
}

/** Watches all keys until a value arrives. An interrupted watch is resumed at its last revision. */
export async function runWatcher({ name, endpoint, notes, keys, last, begun }: WatcherOptions): Promise<void> {
  const connection = connect(endpoint, { userAgent: `${name}/1`, timeoutMs: requestMs, onlyHttp1: true });
  let events: Event[] = [];
  let from = 0;
  let to = 0;

  async function begin(): Promise<boolean> {
    const answer = await ask(connection, 'GET', collection);
    if (answer?.status !== 200) return false;
    events = [];
    from = to = versionOf(answer.body as List);
    return true;
  }

  const finish = (): void => notes.watched({ watcher: name, from, events, to });

  /** Runs one watch and returns why it ended; undefined means that it is resumed after `to`. */
  async function follow(): Promise<'done' | 'expired' | undefined> {
    const path = `${collection}?watch=1&allowWatchBookmarks=true&resourceVersion=${to}`;
    const { status, body } = await connection.stream({ method: 'GET', path });
    if (status === 410) return 'expired';
    if (status !== 200) return undefined;
    for await (const line of lines(body)) {
      const { type, object } = JSON.parse(line.toString()) as { type: string; object: ConfigMap & { code?: number } };
      if (type === 'ERROR') return object.code === 410 ? 'expired' : undefined;
      to = versionOf(object);
      if (type === 'BOOKMARK') continue;
      const key = object.metadata.name;
      const value = valueOf(object);
      if (keys.includes(key)) events.push({ type: type as Event['type'], key, revision: to, value });
      if (value === last) return 'done';
    }
    return undefined;
  }

  while (!(await begin())) await pause(retryMs);
  begun();
  for (;;) {
    let end: 'done' | 'expired' | undefined;
    try {
      end = await follow();
    } catch {
      end = undefined; // the connection was lost
    }
    if (end === 'done') break;
    if (end === 'expired') {
      finish();
      while (!(await begin())) await pause(retryMs);
    } else await pause(retryMs);
  }
  finish();
  await connection.close();
}

/** Writes the last value, which ends the watchers. */
export async function writeLast(endpoint: Endpoint, value: string): Promise<void> {
  const connection = connect(endpoint, { userAgent: 'last/1', timeoutMs: requestMs, onlyHttp1: true });
  while ((await ask(connection, 'POST', collection, mapOf('last', value))) === undefined) await pause(retryMs);
  await connection.close();
}
