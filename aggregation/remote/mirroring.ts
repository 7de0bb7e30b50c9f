/** Reads lists and watches of another server in time slices. */
import type { GroupVersionResource, KubeList, KubeObject } from '../../apimachinery/interface.js';
import { internal } from '../../apimachinery/errors/status.js';
import { eachInTurns, yieldToEventLoop } from '../../lib/time-slice.js';
import { Budget } from '../../client/watch/budget.js';
import type { CachedEvent, CachedReader, ListQuery, WatchEvent, WatchQuery } from '../../client/interface.js';
import { keyOf } from '../../client/key.js';
import type { RawRequest, Received, ReceivedEvent } from '../interface.js';
import { BadAnswer } from './bad-answer.js';
import type { Connection, StreamedResponse } from './connection.js';
import { receivedFailure, receivedStatus } from './failure.js';
import { Gathered } from './gathered.js';
import { maxObjectBytes, maxPageBytes, maxArrivingBytes, maxPages, pageSize, sizeText, valueSize } from './limits.js';
import { lines } from './lines.js';
import { ListSplitter } from './list-splitter.js';
import { listParameters, pathOf, queryOf, watchParameters } from './paths.js';
import { countValues, parsed, readBounded, type Refuse } from './read-json.js';
import { receivedItem, receivedObject } from './received-object.js';
import { turns } from './turns.js';

type List = Omit<KubeList, 'items'>;

/** The items of a list, and the list without them. */
interface Page {
  readonly list: List;
  readonly items: readonly Received[];
}

interface ReadOptions {
  /** Maximum bytes of the whole answer. */
  readonly maxBytes: number;
  /** Maximum bytes without its items. */
  readonly maxRestBytes?: number;
  /** Called with each item and its memory in bytes. */
  readonly onItem: (item: unknown, size: number) => void;
}

/** Bytes of a line from which on counting its values takes a considerable part of a turn. */
const longLine = 256 * 1024;

const eventTypes: ReadonlySet<unknown> = new Set<WatchEvent['type']>(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);

const namespaceOf = ({ namespace }: { readonly namespace?: string | undefined }) => (namespace ? { namespace } : {});

export class Mirroring {
  readonly #server: string;
  readonly #connection: Connection;
  readonly #lane = turns.lane();
  /** The memory budget of arriving lists. Objects that are held afterwards count in the budget of their holder. */
  readonly #arriving = new Budget(maxArrivingBytes);

  /** `server`: the URL of the server, for messages. */
  constructor(server: string, connection: Connection) {
    this.#server = server;
    this.#connection = connection;
  }

  /** The reader for mirrors, which hold parsed objects with their sizes. */
  readonly cached: CachedReader = {
    list: async (resource, query, take) => {
      const items = [];
      const objects = this.each(resource, query);
      for (let next = await objects.next(); ; next = await objects.next()) {
        if (next.done) return { resourceVersion: next.value, items };
        take?.(next.value.size);
        items.push(heldItem(next.value));
      }
    },
    watch: (resource, query, signal) => this.#heldEvents(resource, query, signal),
    getCached: () => undefined,
    listCached: () => undefined,
  };

  /** Reads one page of a list; `maxBytes`: its maximum size. */
  async page(resource: GroupVersionResource, query: ListQuery, maxBytes: number): Promise<Page> {
    const path = pathOf(resource, namespaceOf(query)) + queryOf(listParameters(query));
    const refuse = this.#refuseFor(path);
    const items: Received[] = [];
    let taken = 0;
    try {
      const onItem = (item: unknown, size: number): void => {
        this.#arriving.take(size);
        taken += size;
        items.push({ object: receivedItem(item, refuse), size });
      };
      const rest = await this.#read({ method: 'GET', path }, { maxBytes, onItem });
      const list = receivedList(rest, refuse);
      await addTypes(list, items);
      return { list, items };
    } finally {
      this.#arriving.take(-taken);
    }
  }

  /** Yields all objects of a list, in pages as client-go's pager. Returns the resourceVersion of the list. */
  async *each(resource: GroupVersionResource, query: ListQuery = {}): AsyncGenerator<Received, string, void> {
    let next: ListQuery = { ...query, limit: pageSize };
    for (let pages = 1; ; pages++) {
      const { list, items } = await this.page(resource, next, maxPageBytes);
      // The server decides about the length of a page, whatever the limit was.
      for (const item of items) {
        yield item;
        const pause = yieldToEventLoop();
        if (pause) await pause;
      }
      const { continue: token, resourceVersion = '' } = list.metadata;
      if (!token) return resourceVersion;
      if (pages === maxPages)
        this.#refuseFor(pathOf(resource, namespaceOf(query)))(`the list has more than ${maxPages} pages`);
      next = { ...query, limit: pageSize, continue: token };
    }
  }

  /** Reads a discovery document in either of its forms: groups with their resources, or the names of groups. */
  async groups(path: string, accept: string): Promise<unknown> {
    const items: unknown[] = [];
    const request: RawRequest = { method: 'GET', path, headers: { accept } };
    const reading = {
      maxBytes: maxPageBytes,
      maxRestBytes: maxObjectBytes,
      onItem: (item: unknown) => void items.push(item),
    };
    const document = await this.#read(request, reading);
    return items.length > 0 && typeof document === 'object' ? { ...document, items } : document;
  }

  async *events(
    resource: GroupVersionResource,
    query: WatchQuery,
    signal: AbortSignal,
  ): AsyncGenerator<ReceivedEvent, void> {
    const path = pathOf(resource, namespaceOf(query)) + queryOf(watchParameters(query));
    const refuse = this.#refuseFor(path);
    const tooLong = (): never => refuse(`a line is longer than ${sizeText(maxObjectBytes)}`);
    try {
      const response = await this.#connection.stream({ method: 'GET', path, signal });
      await refuseFailure(response);
      for await (const line of lines(response.body, maxObjectBytes, tooLong)) {
        const turn = this.#lane.pause();
        if (turn) await turn;
        const values = countValues(line, refuse);
        if (line.length > longLine) await this.#lane.pause(); // Counting its values has taken a part of the turn.
        yield eventIn(line, line.length + values * valueSize, refuse);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async *#heldEvents(
    resource: GroupVersionResource,
    query: WatchQuery,
    signal: AbortSignal,
  ): AsyncGenerator<CachedEvent, void> {
    for await (const { type, object, size } of this.events(resource, query, signal)) {
      const { resourceVersion = '' } = object.metadata;
      yield type === 'BOOKMARK' ? { type, resourceVersion } : { type, resourceVersion, ...heldItem({ object, size }) };
    }
  }

  /** Reads a document and passes on its items one by one. Resolves with the document without items. */
  async #read(request: RawRequest, { maxBytes, maxRestBytes, onItem }: ReadOptions): Promise<unknown> {
    const refuse = this.#refuseFor(request.path);
    const response = await this.#connection.read({ ...request, maxBytes });
    await refuseFailure(response);
    const splitter = new ListSplitter(refuse, maxRestBytes);
    for await (const chunk of response.body) {
      // A chunk without the end of an item takes time, too.
      const turn = this.#lane.pause();
      if (turn) await turn;
      for (const { bytes, values } of splitter.take(chunk)) {
        const turn = this.#lane.pause();
        if (turn) await turn;
        onItem(parsed(bytes, refuse), bytes.length + values * valueSize);
      }
    }
    return readBounded(splitter.end(), refuse);
  }

  #refuseFor(path: string): Refuse {
    return fault => {
      throw new BadAnswer(`GET ${this.#server}${path.split('?')[0]}`, fault);
    };
  }
}

const heldItem = ({ object, size }: Received) => ({
  key: keyOf(object),
  cached: { object, size, revision: object.metadata.resourceVersion ?? '' },
});

async function refuseFailure({ status, body }: StreamedResponse): Promise<void> {
  if (status < 300) return;
  const text = new Gathered();
  for await (const chunk of body) text.append(chunk);
  throw receivedFailure(status, text.take());
}

/** Checks and returns the list without its items. */
function receivedList(value: unknown, refuse: Refuse): List {
  const list = receivedObject(value, refuse) as KubeObject & List;
  const { continue: token = '' } = list.metadata;
  if (typeof token !== 'string') refuse('its continue token is not text');
  if (typeof list.kind !== 'string' || typeof list.apiVersion !== 'string') refuse('it is not a list');
  return list;
}

/** Sets kind and apiVersion of the items, which native lists leave out. */
async function addTypes(list: List, items: readonly Received[]): Promise<void> {
  const kind = list.kind.replace(/List$/, '');
  await eachInTurns(items, ({ object }) => {
    object.kind ??= kind;
    object.apiVersion ??= list.apiVersion;
  });
}

/** hot: parses a line of a watch. */
function eventIn(line: Buffer, size: number, refuse: Refuse): ReceivedEvent {
  const { type, object } = (parsed(line, refuse) ?? {}) as { type?: unknown; object?: unknown };
  if (type === 'ERROR') throw receivedStatus(object, 500) ?? internal('the watch failed without a Status');
  if (!eventTypes.has(type)) refuse('an event has no type');
  const received = type === 'BOOKMARK' ? receivedObject(object, refuse) : receivedItem(object, refuse);
  return { type: type as WatchEvent['type'], object: received, size };
}
