/** Reads lists and watches of another server in time slices. */
import type { GroupVersionResource, KubeList, KubeObject } from '../../../apimachinery/interface.js';
import { internal } from '../../../apimachinery/errors/status.js';
import { andThen, type Maybe } from '../../../lib/maybe.js';
import { eachInTurns, yieldToEventLoop } from '../../../lib/time-slice.js';
import { MirrorBudget } from '../../../client/watch/budget.js';
import type { ListQuery, WatchEvent, WatchQuery } from '../../../client/interface.js';
import type { Received, ReceivedEvent, Scan } from '../../interface.js';
import { BadAnswer } from '../bad-answer.js';
import type { Connection, StreamedResponse } from '../connection.js';
import type { RootDocument } from '../discovery.js';
import { receivedFailure, receivedStatus } from '../failure.js';
import { ByteCollector } from '../byte-collector.js';
import { maxObjectBytes, maxPageBytes, maxPages, maxValues, pageSize, sizeText, valueSize } from '../limits.js';
import { lines } from './lines.js';
import { ListSplitter } from './list-splitter.js';
import { listParameters, pathOf, queryOf, watchParameters } from '../paths.js';
import { countValues, parsed, readBounded, type Refuse } from '../read-json.js';
import { receivedItem, receivedObject } from '../received-object.js';
import { turns } from '../turns.js';

type List = Omit<KubeList, 'items'>;

/** The items of a list, and the list without them. */
interface Page {
  readonly list: List;
  readonly items: readonly Received[];
}

/** How the pages of a list are read. */
interface PageOptions {
  /** The media types to ask for instead of JSON. */
  readonly accept?: string | undefined;
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined;
}

interface SplitOptions {
  readonly refuse: Refuse;
  /** Maximum bytes without its items. */
  readonly maxRestBytes?: number;
  /** Maximum number of JSON values in an item. */
  readonly maxItemValues?: number;
  /** Called with each item and its memory in bytes. */
  readonly onItem: (item: unknown, size: number) => void;
}

/** Bytes of a line from which on counting its values takes a considerable part of a turn. */
const longLine = 256 * 1024;

const eventTypes: ReadonlySet<unknown> = new Set<WatchEvent['type']>(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);

const accepting = (accept: string | undefined) => accept !== undefined && { headers: { accept } };

const namespaceOf = ({ namespace }: { readonly namespace?: string | undefined }) => (namespace ? { namespace } : {});

export class Mirroring {
  readonly #server: string;
  readonly #connection: Connection;
  readonly #lane = turns.lane();
  /** The memory budget of arriving lists. Objects that are held afterwards count in the budget of their holder. */
  readonly #arriving: MirrorBudget;

  /** `server`: the URL of the server, for messages. `memoryLimit`: maximum bytes of arriving lists. */
  constructor(server: string, connection: Connection, memoryLimit: number) {
    this.#server = server;
    this.#connection = connection;
    this.#arriving = new MirrorBudget(memoryLimit);
  }

  /** Reads one page of a list; `maxBytes`: its maximum size. */
  async page(
    resource: GroupVersionResource,
    query: ListQuery,
    maxBytes: number,
    { accept, signal }: PageOptions = {},
  ): Promise<Page> {
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
      const request = { method: 'GET', path, maxBytes, ...accepting(accept), ...(signal && { signal }) };
      const rest = await this.#split(await this.#connection.read(request), { refuse, onItem });
      const list = receivedList(rest, refuse);
      await addTypes(list, items);
      return { list, items };
    } finally {
      this.#arriving.take(-taken);
    }
  }

  /** Yields all objects of a list, in pages as client-go's pager. Returns the resourceVersion of the list. */
  async *each(
    resource: GroupVersionResource,
    query: ListQuery = {},
    options: PageOptions = {},
  ): AsyncGenerator<Received, string, void> {
    let next: ListQuery = { ...query, limit: pageSize };
    for (let pages = 1; ; pages++) {
      const { list, items } = await this.page(resource, next, maxPageBytes, options);
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

  /** Passes on the items of one list as they arrive, and holds none. Whatever `onItem` throws breaks the list off. */
  async scan(
    resource: GroupVersionResource,
    query: ListQuery,
    { signal, maxBytes, maxItemValues, onItem }: Scan,
  ): Promise<void> {
    const path = pathOf(resource, namespaceOf(query)) + queryOf(listParameters(query));
    const refuse = this.#refuseFor(path);
    const response = await this.#connection.read({ method: 'GET', path, signal, maxBytes });
    await this.#split(response, { refuse, maxItemValues, onItem: item => onItem(receivedItem(item, refuse)) });
  }

  /**
   * Reads a discovery document in either of its forms: groups with their resources, or the names of groups. Resolves with undefined if the document
   * still has the ETag.
   */
  async groups(path: string, accept: string, etag: string | undefined): Promise<RootDocument | undefined> {
    const items: unknown[] = [];
    const headers = { accept, ...(etag !== undefined && { 'if-none-match': etag }) };
    const refuse = this.#refuseFor(path);
    const response = await this.#connection.read({ method: 'GET', path, headers, maxBytes: maxPageBytes });
    if (etag !== undefined && response.status === 304) {
      await textOf(response); // so that the connection can be used again
      return undefined;
    }
    const document = await this.#split(response, {
      ...{ refuse, maxRestBytes: maxObjectBytes },
      onItem: item => void items.push(item),
    });
    const { etag: current } = response.headers;
    return {
      document: items.length > 0 && typeof document === 'object' ? { ...document, items } : document,
      etag: typeof current === 'string' ? current : undefined,
    };
  }

  async *events(
    resource: GroupVersionResource,
    query: WatchQuery,
    signal: AbortSignal,
    accept?: string,
  ): AsyncGenerator<ReceivedEvent, void> {
    const path = pathOf(resource, namespaceOf(query)) + queryOf(watchParameters(query));
    const refuse = this.#refuseFor(path);
    const tooLong = (): never => refuse(`a line is longer than ${sizeText(maxObjectBytes)}`);
    try {
      const response = await this.#connection.stream({ method: 'GET', path, signal, ...accepting(accept) });
      await refuseFailure(response);
      for await (const line of lines(response.body, maxObjectBytes, tooLong)) {
        const turn = this.#lane.pause();
        if (turn) await turn;
        const counted = countValues(line, refuse);
        const values = counted instanceof Promise ? await counted : counted;
        if (line.length > longLine) await this.#lane.pause(); // Counting its values has taken a part of the turn.
        yield eventIn(line, line.length + values * valueSize, refuse);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Passes on the items of an answer one by one. Resolves with the document without items. */
  async #split(
    response: StreamedResponse,
    { refuse, maxRestBytes, maxItemValues = maxValues, onItem }: SplitOptions,
  ): Promise<unknown> {
    await refuseFailure(response);
    const splitter = new ListSplitter(refuse, maxRestBytes);
    for await (const chunk of response.body) {
      // A chunk without the end of an item takes time, too.
      const turn = this.#lane.pause();
      if (turn) await turn;
      for (const { bytes, values } of splitter.take(chunk)) {
        const turn = this.#lane.pause();
        if (turn) await turn;
        if (values > maxItemValues) refuse(`an item has more than ${maxItemValues} values`);
        const size = bytes.length + values * valueSize;
        const item = parsed(bytes, refuse);
        onItem(item instanceof Promise ? await item : item, size);
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

async function refuseFailure(response: StreamedResponse): Promise<void> {
  const { status } = response;
  if (status >= 300) throw receivedFailure(status, await textOf(response));
}

async function textOf({ body }: StreamedResponse): Promise<Buffer> {
  const text = new ByteCollector();
  for await (const chunk of body) text.append(chunk);
  return text.take();
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

/** Parses a line of a watch. */
const eventIn = (line: Buffer, size: number, refuse: Refuse): Maybe<ReceivedEvent> =>
  andThen(parsed(line, refuse), value => receivedEvent(value, size, refuse));

/** hot: returns an event after checks of its form. */
function receivedEvent(value: unknown, size: number, refuse: Refuse): ReceivedEvent {
  const { type, object } = (value ?? {}) as { type?: unknown; object?: unknown };
  if (type === 'ERROR') throw receivedStatus(object, 500) ?? internal('the watch failed without a Status');
  if (!eventTypes.has(type)) refuse('an event has no type');
  const received = type === 'BOOKMARK' ? receivedObject(object, refuse) : receivedItem(object, refuse);
  return { type: type as WatchEvent['type'], object: received, size };
}
