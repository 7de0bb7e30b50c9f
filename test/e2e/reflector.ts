/** A mirror of a resource in a client, kept as by client-go: with a WatchList, or list and watch. It resumes, or lists again after 410. */
import type { KubeObject } from '../../apimachinery/interface.js';
import { accepts, type Stream, type Wire, type Wired } from './wire.js';

interface ReflectorOptions {
  /** The path of the collection, such as `/api/v1/configmaps`. */
  readonly path: string;
  readonly accept?: string;
  /** 'list' is what clients do if WatchList is disabled or refused. */
  readonly first?: 'watchlist' | 'list';
  readonly pageSize?: number;
  /** The last resource version of an earlier run of the client. */
  readonly resourceVersion?: string;
}

export interface Reflector {
  /** The last state of objects, by `namespace/name`. */
  readonly objects: ReadonlyMap<string, KubeObject>;
  /** The actions of the reflector: `watchlist`, `list`, `page`, `watch`, `expired`, `broken`, `ended`. */
  readonly did: readonly string[];
  /** Violations by the server: older versions, duplicates, events of unknown objects. */
  readonly faults: readonly string[];
  /** The last resource version that was received. */
  readonly resourceVersion: string;
  /** Resolves when `wanted` is true for the mirror. */
  until(wanted: (objects: ReadonlyMap<string, KubeObject>) => boolean): Promise<void>;
  stop(): Promise<void>;
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
const versionOf = ({ metadata }: KubeObject): string => metadata.resourceVersion ?? '';

export function reflect(wire: Wire, options: ReflectorOptions): Reflector {
  const { path, accept = accepts.typed, first = 'watchlist', pageSize = 500 } = options;
  const did: string[] = [];
  const faults: string[] = [];
  let objects = new Map<string, KubeObject>();
  let last = options.resourceVersion ?? '';
  let stopped = false;
  let stream: Stream | undefined;
  const waiting = new Set<() => void>();
  const changed = (): void => {
    for (const check of waiting) check();
  };

  function apply(type: string, object: KubeObject): void {
    const key = keyOf(object);
    const version = versionOf(object);
    if (Number(version) <= Number(last)) faults.push(`${type} ${key} at ${version} after ${last}`);
    if (type === 'ADDED' && objects.has(key)) faults.push(`${key} is added twice`);
    if (type !== 'ADDED' && type !== 'BOOKMARK' && !objects.has(key)) faults.push(`${type} of unknown ${key}`);
    if (type === 'DELETED') objects.delete(key);
    else if (type !== 'BOOKMARK') objects.set(key, object);
    last = version;
  }

  async function open(query: string): Promise<Stream | undefined> {
    stream = await wire.watch(`${path}?watch=true&allowWatchBookmarks=true&timeoutSeconds=300&${query}`, accept);
    if (stream.status === 200) return stream;
    did.push(`refused ${stream.status}`);
    stream.destroy();
    return undefined;
  }

  /** Applies events until the server ends the stream, and returns why it ended. */
  async function follow({ events }: Stream): Promise<'ended' | 'expired'> {
    for await (const { type, object } of events) {
      if (type === 'ERROR') {
        if ((object as Wired).code !== 410) throw new Error(JSON.stringify(object));
        return 'expired';
      }
      apply(type, object);
      changed();
    }
    return 'ended';
  }

  /** Opens one stream with the initial state and the changes. Returns undefined if the server refuses. */
  async function watchList(): Promise<Stream | undefined> {
    did.push('watchlist');
    const query = `sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=${last}`;
    const opened = await open(query);
    if (!opened) return undefined;
    const initial = new Map<string, KubeObject>();
    const iterator = opened.events[Symbol.asyncIterator]();
    for (;;) {
      const next = await iterator.next();
      if (next.done === true) throw new Error('ended before the initial events did');
      const { type, object } = next.value;
      if (type === 'ADDED') initial.set(keyOf(object), object);
      else if (type !== 'BOOKMARK') faults.push(`${type} among the initial events`);
      else if (object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true') {
        objects = initial;
        last = versionOf(object);
        changed();
        return { ...opened, events: { [Symbol.asyncIterator]: () => iterator } };
      }
    }
  }

  async function list(): Promise<void> {
    did.push('list');
    const found = new Map<string, KubeObject>();
    const from = `limit=${pageSize}&resourceVersion=${last === '' ? '0' : ''}`;
    for (let query = from; query !== '';) {
      const { status, object } = await wire.send(`GET ${path}?${query}`, { accept });
      if (status !== 200) throw new Error(JSON.stringify(object));
      for (const item of object.items ?? []) found.set(keyOf(item), item);
      last = versionOf(object);
      const { continue: more = '' } = object.metadata as { continue?: string };
      query = more === '' ? '' : `limit=${pageSize}&continue=${encodeURIComponent(more)}`;
      if (query !== '') did.push('page');
    }
    objects = found;
    changed();
  }

  async function watch(): Promise<Stream | undefined> {
    did.push('watch');
    return open(`resourceVersion=${last}`);
  }

  async function begin(): Promise<Stream | undefined> {
    const opened = first === 'watchlist' ? await watchList() : undefined;
    if (opened) return opened;
    await list();
    return watch();
  }

  async function run(): Promise<void> {
    let next = options.resourceVersion === undefined ? begin : watch;
    while (!stopped) {
      try {
        const opened = await next();
        if (stopped) return opened?.destroy();
        const end = opened ? await follow(opened) : 'expired';
        did.push(end);
        next = end === 'expired' ? begin : watch;
      } catch (error) {
        if (stopped) return;
        if (!(error instanceof Error) || !('code' in error)) throw error;
        did.push('broken');
        next = last === '' ? begin : watch;
      }
    }
  }

  const running = run();
  return {
    get objects() {
      return objects;
    },
    did,
    faults,
    get resourceVersion() {
      return last;
    },
    until: wanted =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (!wanted(objects)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        running.catch(reject);
        check();
      }),
    async stop() {
      stopped = true;
      stream?.destroy();
      await running;
    },
  };
}
