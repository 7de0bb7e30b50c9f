/** An OpenSearch as far as backend stores use it, over real HTTP or HTTPS. */
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';

interface Operation {
  readonly type: 'index' | 'delete';
  readonly index: string;
  readonly id: string;
}

interface Refusal {
  readonly status: number;
  readonly type: string;
}

type FakeDocument = Readonly<Record<string, unknown>>;

interface Answer {
  readonly status: number;
  readonly body: object;
}

/** Returns the parts of a document that are at the paths; keys may have dots. */
function partsOf(value: unknown, paths: readonly string[], at = ''): unknown {
  if (paths.includes(at)) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const parts: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value)) {
    const part = partsOf(each, paths, at === '' ? key : `${at}.${key}`);
    if (part !== undefined) parts[key] = part;
  }
  return Object.keys(parts).length > 0 ? parts : undefined;
}

/** A refusal without a type is that of a proxy. */
const refused = ({ status, type }: Refusal): Answer => ({
  status,
  body: type === '' ? {} : { error: { type, reason: 'all' }, status },
});

interface Search {
  readonly index: string;
  /** The documents that have been sent, page by page. */
  readonly pages: FakeDocument[][];
}

export class FakeOpenSearch {
  readonly documents = new Map<string, Map<string, FakeDocument>>();
  /** The bodies with which indexes were created. */
  readonly created = new Map<string, unknown>();
  readonly bulks: { readonly operations: readonly Operation[]; readonly bytes: number }[] = [];
  readonly searches: Search[] = [];
  readonly authorizations = new Set<string | undefined>();
  /** Refuses whole requests. */
  refusesAll: Refusal | undefined;
  /** Refuses single operations. */
  refuses: (operation: Operation) => Refusal | undefined = () => undefined;
  /** Refuses whole bulk requests. */
  refusesWith: (operations: readonly Operation[]) => Refusal | undefined = () => undefined;
  bulksRefused = 0;
  /** Refuses to create an index. */
  refusesIndex: (index: string) => Refusal | undefined = () => undefined;
  indexesRefused = 0;
  /** Resolves when a bulk request may be answered. */
  gate: Promise<void> | undefined;
  #server: http.Server | undefined;
  readonly #scrolls = new Map<string, { readonly search: Search; readonly left: [string, FakeDocument][] }>();

  /** Listens on a port, a free one if 0, until the test ends. Returns its URL. */
  async listen(
    t: Test,
    { port = 0, tls }: { port?: number; tls?: { key: string; cert: string } } = {},
  ): Promise<string> {
    const handler: http.RequestListener = (request, response) => void this.#handle(request, response);
    const server = tls ? https.createServer(tls, handler) : http.createServer(handler);
    this.#server = server;
    await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
    t.teardown(() => this.close());
    return `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  ids(index: string): string[] {
    return [...(this.documents.get(index)?.keys() ?? [])].sort();
  }

  async #handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = await text(request);
    this.authorizations.add(request.headers.authorization);
    const { pathname } = new URL(request.url ?? '', 'http://x');
    const refusal = this.refusesAll;
    const { status, body: answer } = refusal
      ? refused(refusal)
      : await this.#answer(request.method ?? '', pathname.slice(1), body);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  async #answer(method: string, path: string, body: string): Promise<Answer> {
    if (path === '_bulk') {
      await this.gate;
      return this.#bulk(body);
    }
    if (path === '_search/scroll') return this.#scroll(method, body);
    const [index = '', action] = path.split('/');
    if (action === '_search') return this.#search(index, body);
    if (this.documents.has(index))
      return {
        status: 400,
        body: { error: { type: 'resource_already_exists_exception', reason: 'there' }, status: 400 },
      };
    const refusal = this.refusesIndex(index);
    if (refusal) {
      this.indexesRefused++;
      return refused(refusal);
    }
    this.documents.set(index, new Map());
    this.created.set(index, JSON.parse(body));
    return { status: 200, body: { acknowledged: true } };
  }

  #bulk(body: string): Answer {
    const lines = body.split('\n').filter(line => line !== '');
    const operations: Operation[] = [];
    const entries: { readonly operation: Operation; readonly document: FakeDocument | undefined }[] = [];
    while (lines.length > 0) {
      const [[type, { _index: index, _id: id }] = ['', {}]] = Object.entries(
        JSON.parse(lines.shift() ?? '') as Record<string, { _index?: string; _id?: string }>,
      );
      const operation = { type, index, id } as Operation;
      const document = type === 'index' ? (JSON.parse(lines.shift() ?? '') as FakeDocument) : undefined;
      operations.push(operation);
      entries.push({ operation, document });
    }
    const refusal = this.refusesWith(operations);
    if (refusal) {
      this.bulksRefused++;
      return refused(refusal);
    }
    const items = entries.map(({ operation, document }) => ({ [operation.type]: this.#apply(operation, document) }));
    this.bulks.push({ operations, bytes: body.length });
    return { status: 200, body: { errors: false, items } };
  }

  #apply(operation: Operation, document: FakeDocument | undefined): object {
    const refusal = this.refuses(operation);
    if (refusal) return { status: refusal.status, error: { type: refusal.type, reason: 'one' } };
    const documents = this.documents.get(operation.index);
    if (!documents) return { status: 404, error: { type: 'index_not_found_exception', reason: 'none' } };
    if (document) documents.set(operation.id, document);
    else return { status: documents.delete(operation.id) ? 200 : 404 };
    return { status: 201 };
  }

  #search(index: string, body: string): Answer {
    const id = `scroll-${this.#scrolls.size}`;
    const { _source: paths } = JSON.parse(body) as { _source: readonly string[] };
    const search: Search = { index, pages: [] };
    this.searches.push(search);
    const left = [...(this.documents.get(index) ?? [])].map(([key, document]): [string, FakeDocument] => [
      key,
      (partsOf(document, paths) ?? {}) as FakeDocument,
    ]);
    this.#scrolls.set(id, { search, left });
    return this.#page(id);
  }

  #scroll(method: string, body: string): Answer {
    if (method === 'DELETE') return { status: 200, body: {} };
    return this.#page((JSON.parse(body) as { scroll_id: string }).scroll_id);
  }

  #page(id: string): Answer {
    const { search, left = [] } = this.#scrolls.get(id) ?? {};
    const hits = left.splice(0, 2).map(([_id, _source]) => ({ _id, _source }));
    search?.pages.push(hits.map(({ _source }) => _source));
    return { status: 200, body: { _scroll_id: id, hits: { hits } } };
  }
}
