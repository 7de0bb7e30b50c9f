/** The client of the conformance tests, which uses resources of a real server over its socket. Failed requests throw. */
import type { Test } from 'tap';
import { StatusError } from '../../../apimachinery/errors/status.js';
import { type Answer, type Ask, type HttpClient, httpClient, watch } from '../../apiserver/http-client.js';
import type { TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

export interface Thing extends Record<string, unknown> {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    uid: string;
    resourceVersion: string;
    generation?: number;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    finalizers?: string[];
    deletionTimestamp?: string;
    ownerReferences?: { kind: string; name: string; uid: string; controller?: boolean }[];
  };
}

/** An object that a test writes, without apiVersion and kind, which are added. */
export interface Draft extends Record<string, unknown> {
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface List {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly Thing[];
}

export interface Event {
  readonly type: string;
  readonly object: Thing;
}

export interface Events {
  /** Returns the next event; rejects when the server ends the watch, or after a timeout. */
  next(): Promise<Event>;
  /** Skips events until `holds` is true, and returns that event. */
  until(holds: (event: Event) => boolean): Promise<Event>;
  stop(): void;
}

export type Patch = Readonly<Record<string, unknown>>;

export type PatchType = 'merge' | 'strategic' | 'json' | 'apply';

const patchTypes: Readonly<Record<PatchType, string>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
};

export interface Resource {
  readonly path: string;
  create(draft: Draft, query?: string): Promise<Thing>;
  get(name: string): Promise<Thing>;
  find(name: string): Promise<Thing | undefined>;
  list(query?: string): Promise<List>;
  /** Reads, changes and writes an object, and retries on conflicts. `place` is `NAME` or `NAME/SUBRESOURCE`. */
  update(place: string, change: (thing: Thing) => void): Promise<Thing>;
  replace(thing: Thing, subresource?: string): Promise<Thing>;
  patch(place: string, patch: unknown, type?: PatchType): Promise<Thing>;
  remove(name: string, options?: object): Promise<unknown>;
  removeAll(query?: string, options?: object): Promise<unknown>;
  watch(query?: string): Promise<Events>;
  becomes(name: string, holds: (thing: Thing) => unknown): Promise<Thing>;
  gone(name: string): Promise<void>;
  /** Waits until the list has `count` items, and returns them. */
  count(count: number, query?: string): Promise<readonly Thing[]>;
}

export interface Kit {
  readonly ask: HttpClient;
  /** Sends a GET of any path. */
  readonly read: (path: string) => Promise<Record<string, unknown>>;
  /** Returns a resource, such as `of('apps/v1/deployments', namespace)`. Without a namespace it is that of all namespaces, or cluster-scoped. */
  readonly of: (resource: string, namespace?: string) => Resource;
  /** Creates a namespace and returns its name. */
  namespace(prefix?: string): Promise<string>;
}

/** Returns the resource version as a number; throws if it is not a positive number. */
export function version({ metadata: { resourceVersion } }: { metadata: { resourceVersion: string } }): bigint {
  if (!/^[1-9]\d*$/.test(resourceVersion)) throw new Error(`not a resource version: ${resourceVersion}`);
  return BigInt(resourceVersion);
}

/** Returns whether an object is deleted, or has a deletionTimestamp and finalizers. */
export const isGone = (thing: Thing | undefined): boolean =>
  !thing || (thing.metadata.deletionTimestamp !== undefined && (thing.metadata.finalizers ?? []).length > 0);

const ok = (answer: Answer): Thing => {
  if (answer.status >= 300) throw new StatusError(answer.json as never);
  return answer.json as unknown as Thing;
};

/** Returns the code with which a request is refused; throws if it is not refused. */
export async function codeOf(attempt: Promise<unknown>): Promise<number> {
  return (await refusal(attempt)).code;
}

export async function refusal(attempt: Promise<unknown>): Promise<StatusError> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

let numbers = 0;
/** Returns a name that no other test of the process uses. */
export const unique = (prefix: string): string => `${prefix}-${++numbers}`;

const timeoutMs = 60_000;

function timely<T>(what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`in vain: ${what}`)), timeoutMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

export function kit(t: Test, server: TestServer): Kit {
  const ask = httpClient(t, server);
  const kinds = new Map<string, string>();

  /** Returns the kind of a resource, from discovery. */
  async function kindOf(root: string, plural: string): Promise<string> {
    const known = kinds.get(`${root}/${plural}`);
    if (known !== undefined) return known;
    const { resources } = ok(await ask(`GET ${root}`)) as unknown as { resources: { name: string; kind: string }[] };
    for (const { name, kind } of resources) kinds.set(`${root}/${name}`, kind);
    const kind = kinds.get(`${root}/${plural}`);
    if (kind === undefined) throw new Error(`${root} does not tell of ${plural}`);
    return kind;
  }

  function of(resource: string, namespace?: string): Resource {
    const parts = resource.split('/');
    const plural = parts.pop() ?? '';
    const apiVersion = parts.join('/');
    const root = parts.length === 1 ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
    const path = `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}`;
    const query = (text = ''): string => (text === '' ? '' : `?${text}`);
    const call = async (what: string, options?: Ask): Promise<Thing> => ok(await ask(what, options));

    const self: Resource = {
      path,
      async create(draft, text) {
        const kind = await kindOf(root, plural);
        return call(`POST ${path}${query(text)}`, { body: { apiVersion, kind, ...draft } });
      },
      get: name => call(`GET ${path}/${name}`),
      async find(name) {
        const answer = await ask(`GET ${path}/${name}`);
        return answer.status === 404 ? undefined : ok(answer);
      },
      list: async text => (await call(`GET ${path}${query(text)}`)) as unknown as List,
      async update(place, change) {
        for (;;) {
          const thing = structuredClone(await self.get(place));
          change(thing);
          const answer = await ask(`PUT ${path}/${place}`, { body: thing });
          if (answer.status !== 409) return ok(answer);
        }
      },
      replace: (thing, subresource) =>
        call(`PUT ${path}/${thing.metadata.name}${subresource === undefined ? '' : `/${subresource}`}`, {
          body: thing,
        }),
      patch: (place, patch, type = 'merge') =>
        call(`PATCH ${path}/${place}${type === 'apply' ? '?fieldManager=test&force=true' : ''}`, {
          body: patch,
          type: patchTypes[type],
        }),
      remove: (name, options) => call(`DELETE ${path}/${name}`, options ? { body: deleteOptions(options) } : {}),
      removeAll: (text, options) =>
        call(`DELETE ${path}${query(text)}`, options ? { body: deleteOptions(options) } : {}),
      async watch(text) {
        const watching = await timely(
          `watch of ${path}`,
          watch(t, server, `${path}?watch=true${text ? `&${text}` : ''}`),
        );
        if (watching.status !== 200) throw new Error(`watch of ${path}: ${watching.status}`);
        const next = async (): Promise<Event> => {
          const event = await timely(`an event of ${path}`, watching.next());
          if (!event) throw new Error(`the watch of ${path} has ended`);
          return event as unknown as Event;
        };
        return {
          next,
          async until(holds) {
            for (;;) {
              const event = await next();
              if (holds(event)) return event;
            }
          },
          stop: () => watching.stop(),
        };
      },
      async becomes(name, holds) {
        let thing: Thing | undefined;
        await until(`${path}/${name}`, async () => {
          thing = await self.find(name);
          return thing !== undefined && Boolean(holds(thing));
        });
        return thing as unknown as Thing;
      },
      gone: name => until(`the end of ${path}/${name}`, async () => (await self.find(name)) === undefined),
      async count(count, text) {
        let items: readonly Thing[] = [];
        await until(`${count} of ${path}`, async () => (items = (await self.list(text)).items).length === count);
        return items;
      },
    };
    return self;
  }

  return {
    ask,
    of,
    read: async path => ok(await ask(`GET ${path}`)),
    async namespace(prefix = 'test') {
      const name = unique(prefix);
      await of('v1/namespaces').create({ metadata: { name } });
      return name;
    },
  };
}

const deleteOptions = (options: object): object => ({ apiVersion: 'v1', kind: 'DeleteOptions', ...options });
