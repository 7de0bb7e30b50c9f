/** The lists of several clusters as one list, of which a page per cluster is in memory. */
// differs: in Karmada the lists are in memory as a whole, `limit` applies to each cluster, and a continue token is that of any of them
import type { IncomingHttpHeaders } from 'node:http';
import {
  badRequest,
  continueExpired,
  plainError,
  serviceUnavailable,
  StatusError,
} from '../../apimachinery/errors/status.js';
import type { Query } from '../../apiserver/interface.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import type { Answer } from '../remote/answer.js';
import { BadAnswer } from '../remote/bad-answer.js';
import { maxListBytes, maxPages, pageSize } from '../remote/limits.js';
import { ListSplitter } from '../remote/mirror/list-splitter.js';
import { readBounded } from '../remote/read-json.js';
import { turns } from '../remote/turns.js';

/** Items of a page in bytes, above which the rest of the page is received when the items are written. */
const maxHeldBytes = 4 * 1024 * 1024;
/** The number of clusters whose first pages are requested before they are written. */
const maxAhead = 8;

/** A list without its items. */
interface ListHead {
  readonly metadata?: { readonly continue?: unknown };
}

/** An answer that is being read. */
export interface OpenAnswer {
  readonly answer: Answer;
  /** To be called when the answer was read, or is not read any more. */
  readonly leave: () => void;
}

/** A cluster whose list is a part of the merged one. */
export interface ListSource {
  readonly name: string;
  /** The request for messages. */
  readonly request: string;
  /** Requests a page. `query`: with its question mark. Resolves with the status code if the cluster refuses it. */
  readonly open: (query: string) => Promise<OpenAnswer | number>;
}

/** Where a page of the merged list begins: in a cluster, at its own continue token; '' at its beginning. */
interface Position {
  readonly cluster: string;
  readonly token: string;
}

const writePosition = ({ cluster, token }: Position): string =>
  Buffer.from(JSON.stringify({ cluster, ...(token !== '' && { continue: token }) })).toString('base64url');

/** Throws 400 for a token that is not one of a merged list. */
function readPosition(text: string): Position {
  try {
    const value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Record<string, unknown> | null;
    const { cluster, continue: token = '' } = value ?? {};
    if (typeof cluster === 'string' && typeof token === 'string') return { cluster, token };
  } catch {
    // The token is malformed.
  }
  throw badRequest('continue key is not valid: it is not one of a list over all clusters');
}

/** A page of the list of one cluster. */
class Page {
  readonly headers: IncomingHttpHeaders;
  /** The limit with which it was requested. */
  readonly limit: number;
  /** The list without its items; undefined while the page is not complete. */
  list: ListHead | undefined;
  readonly #open: OpenAnswer;
  readonly #chunks: AsyncGenerator<Buffer, void>;
  readonly #splitter: ListSplitter;
  readonly #lane = turns.lane();
  readonly #refuse: (fault: string) => never;
  #items: Buffer[] = [];
  #heldBytes = 0;

  constructor(open: OpenAnswer, request: string, limit: number) {
    this.headers = open.answer.headers;
    this.limit = limit;
    this.#open = open;
    this.#chunks = open.answer.chunks({ maxBytes: maxListBytes, deadline: Infinity, request });
    this.#refuse = fault => {
      throw new BadAnswer(request, fault);
    };
    this.#splitter = new ListSplitter(this.#refuse);
  }

  get heldItems(): number {
    return this.#items.length;
  }

  /** The continue token of the cluster; '' on its last page. */
  get token(): string {
    const token = this.list?.metadata?.continue;
    return typeof token === 'string' ? token : '';
  }

  /** Reads until the page is complete, or holds as much as it may. Rejects with BadAnswer. */
  async fill(): Promise<void> {
    try {
      while (this.list === undefined && this.#heldBytes < maxHeldBytes) await this.#readChunk();
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  /** Returns the items that are held. */
  take(): readonly Buffer[] {
    const items = this.#items;
    this.#items = [];
    this.#heldBytes = 0;
    return items;
  }

  /** Receives nothing more. */
  abandon(): void {
    this.#open.answer.abort(new ExpectedError('the list is not read any more'));
    this.#open.leave();
  }

  async #readChunk(): Promise<void> {
    const { value: chunk, done } = await this.#chunks.next();
    if (done) {
      const list = await readBounded(this.#splitter.end(), this.#refuse);
      if (typeof list !== 'object' || list === null) return this.#refuse('it is not a list');
      this.list = list;
      return this.#open.leave();
    }
    const turn = this.#lane.pause();
    if (turn) await turn;
    for (const { bytes } of this.#splitter.take(chunk)) {
      this.#heldBytes += bytes.length;
      this.#items.push(Buffer.from(bytes));
    }
  }
}

interface MergedListOptions {
  readonly sources: readonly ListSource[];
  /** The parameters of the request. */
  readonly query: Query;
  /** The query string of the request, as it was sent. */
  readonly queryText: string;
  /** Called for a cluster that is left out. If it throws, the reading fails. */
  readonly onError: (error: unknown, cluster: string) => void;
}

function readLimit(text: string | undefined): number {
  return text !== undefined && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Infinity;
}

/**
 * Reads the lists of clusters in their order. A cluster whose first page cannot be read is left out. One that fails later makes the reading fail, since
 * a part of its objects was passed on, with this page or an earlier one.
 */
export class MergedList {
  readonly #options: MergedListOptions;
  /** Index of the cluster where the list begins. */
  readonly #start: number;
  #startToken: string;
  /** The number of items that may follow. */
  #left: number;
  readonly #ahead = new Map<number, Promise<Page | undefined>>();
  #head: ListHead | undefined;
  #next: Position | undefined;
  /** The headers of the first answer; undefined while there is none. */
  headers: IncomingHttpHeaders | undefined;

  /** Throws 400 or 410 for a continue token that cannot be used. */
  constructor(options: MergedListOptions) {
    const { sources, query } = options;
    this.#options = options;
    this.#left = readLimit(query.get('limit'));
    const text = query.get('continue') ?? '';
    const position = text === '' ? undefined : readPosition(text);
    this.#start = position ? sources.findIndex(({ name }) => name === position.cluster) : 0;
    this.#startToken = position?.token ?? '';
    if (this.#start < 0) throw continueExpired(); // The cluster was removed.
  }

  /** The fields of the list besides its items. Those of the first cluster, and the continue token. To be read when all items were. */
  get fields(): object {
    const { items: _items, ...fields } = (this.#head ?? {}) as { items?: unknown; metadata?: object };
    const {
      continue: _token,
      remainingItemCount: _count,
      ...metadata
    } = (fields.metadata ?? {}) as Record<string, unknown>;
    return { ...fields, metadata: { ...metadata, ...(this.#next && { continue: writePosition(this.#next) }) } };
  }

  /** Yields the texts of the items, some at a time. */
  async *items(): AsyncGenerator<readonly Buffer[], void> {
    const { sources } = this.#options;
    let i = this.#start;
    try {
      for (; i < sources.length && this.#left > 0; i++) {
        const first = await this.#firstPage(i);
        if (!first) continue;
        this.headers ??= first.headers;
        yield* this.#itemsOf(i, first);
      }
      const next = sources[i];
      if (next) this.#next ??= { cluster: next.name, token: '' };
    } finally {
      for (const page of this.#ahead.values()) page.then(unread => unread?.abandon()).catch(() => undefined); // what failed is not held
    }
  }

  async *#itemsOf(index: number, first: Page): AsyncGenerator<readonly Buffer[], void> {
    let page = first;
    let pages = 1;
    try {
      for (;;) {
        const items = page.take();
        this.#left -= items.length;
        yield items;
        if (page.list === undefined) {
          await page.fill();
          continue;
        }
        this.#head ??= page.list;
        const { token } = page;
        if (token === '') return;
        if (this.#left <= 0) {
          this.#next = { cluster: this.#source(index).name, token };
          return;
        }
        if (pages++ === maxPages)
          throw plainError(`the list of cluster ${this.#source(index).name} has more than ${maxPages} pages`);
        page = await this.#pageAt(this.#source(index), token);
      }
    } finally {
      page.abandon();
    }
  }

  #source(index: number): ListSource {
    return this.#options.sources[index] as ListSource;
  }

  /** Resolves with the first page of a cluster, which has no more items than are wanted; undefined if it is left out. */
  async #firstPage(index: number): Promise<Page | undefined> {
    const end = Math.min(this.#options.sources.length, index + maxAhead);
    for (let i = index; i < end; i++) if (!this.#ahead.has(i)) this.#openAhead(i);
    const page = await this.#ahead.get(index);
    this.#ahead.delete(index);
    if (!page || page.limit <= this.#left || (page.list && page.heldItems <= this.#left)) return page;
    // It was requested before it was known how many items of earlier clusters there are.
    page.abandon();
    return this.#openFirst(index);
  }

  #openAhead(index: number): void {
    const page = this.#openFirst(index);
    // If it fails, the reading does so when it comes to this cluster, which may be later, or never.
    page.catch(() => undefined);
    this.#ahead.set(index, page);
  }

  async #openFirst(index: number): Promise<Page | undefined> {
    const source = this.#source(index);
    if (index === this.#start && this.#startToken !== '') return this.#continued(source, this.#startToken);
    try {
      const page = await this.#open(source, '');
      return typeof page === 'number' ? undefined : page;
    } catch (error) {
      this.#options.onError(error, source.name);
      return undefined;
    }
  }

  /** Resolves with the page with which a list continues that an earlier request has begun. Rejects with a StatusError. */
  async #continued(source: ListSource, token: string): Promise<Page> {
    try {
      return await this.#pageAt(source, token);
    } catch (error) {
      if (error instanceof StatusError) throw error;
      this.#options.onError(error, source.name);
      throw serviceUnavailable(`cluster ${source.name} does not continue its list, please try again later`);
    }
  }

  async #pageAt(source: ListSource, token: string): Promise<Page> {
    const page = await this.#open(source, token);
    if (page === 410) throw continueExpired();
    if (typeof page !== 'number') return page;
    throw plainError(`cluster ${source.name} refuses the next page of its list with status code ${page}`);
  }

  /** Resolves with the page, or with the status code if the cluster refuses it. */
  async #open(source: ListSource, token: string): Promise<Page | number> {
    const limit = Math.min(pageSize, this.#left);
    const query = new URLSearchParams(this.#options.queryText);
    query.set('limit', String(limit));
    if (token === '') query.delete('continue');
    else {
      query.set('continue', token);
      // The token says which version it is.
      for (const name of ['resourceVersion', 'resourceVersionMatch']) query.delete(name);
    }
    const open = await source.open(`?${query.toString()}`);
    if (typeof open === 'number') return open;
    const page = new Page(open, source.request, limit);
    await page.fill();
    return page;
  }
}
