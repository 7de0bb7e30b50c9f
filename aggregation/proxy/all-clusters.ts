/** Serves the subresource `proxy` of the cluster `*`: a path on all clusters at once. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ConnectRequest, RequestContext, Query, RequestInfo } from '../../apiserver/interface.js';
import { jsonText } from '../../lib/json/json.js';
import { plainError } from '../../apimachinery/errors/status.js';
import { type Answer, send } from '../remote/answer.js';
import { BadAnswer } from '../remote/bad-answer.js';
import { maxListBytes, sizeText } from '../remote/limits.js';
import { ListSplitter } from '../remote/list-splitter.js';
import { pathOf } from '../remote/paths.js';
import { readBounded } from '../remote/read-json.js';
import { turns } from '../remote/turns.js';
import { writeList } from './list-writer.js';
import type { Client } from '../../client/interface.js';
import type { Cluster } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { forward } from './forward.js';
import { impersonationHeaders, responseHeaders } from './headers.js';
import type { Target, Targets } from './target.js';

/** Parses method, path and query into a request info, as the API server does. */
type ReadPath = (method: string, path: string, query: Query) => RequestInfo;

export interface AllClustersDeps {
  /** Client for clusters and secrets. The requester has been authorized for the proxy before. */
  readonly client: Client;
  readonly targets: Targets;
  readonly readPath: ReadPath;
  /** The control plane itself, with administrator's credentials, which may impersonate any user. */
  readonly self: Target;
  /** Called for a cluster whose request failed. */
  readonly onError: (error: unknown, cluster: string) => void;
}

interface ReachableCluster {
  readonly name: string;
  readonly target: Target;
}

/** The list of one cluster with unparsed items. */
interface ListBody {
  readonly headers: IncomingHttpHeaders;
  /** The list without its items. */
  readonly list: object;
  readonly items: readonly Buffer[];
}

/** Maximum memory of the lists of all clusters together in bytes; they are all in memory before the answer begins. */
const maxMergedBytes = 256 * 1024 * 1024;
/** Milliseconds until a cluster answers, and between two parts of its answer. as undici headersTimeout */
const timeoutMs = 300_000;
/** Memory of an item in addition to its text, in bytes. */
const itemOverhead = 128;

/** Memory budget for the lists of one request. */
class MemoryBudget {
  #left = maxMergedBytes;

  take(bytes: number): void {
    this.#left -= bytes + itemOverhead;
    if (this.#left < 0) throw new TooLarge();
  }
}

class TooLarge extends Error {
  constructor() {
    super(
      `the lists of all clusters are longer than ${sizeText(maxMergedBytes)} together: set a limit, or ask the clusters one by one`,
    );
  }
}

/** Responds with a plain text error. as net/http Error */
function respondError(context: RequestContext, code: number, text: string): void {
  const headers = {
    ...context.answerHeaders(),
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  };
  context.exchange.respond(code, headers, Buffer.from(`${text}\n`));
}

/** Sends a request to all clusters. Returns the results in the order of their names; failures are reported to `onError` and left out. */
async function requestAll<T>(
  { client, targets, onError }: AllClustersDeps,
  request: (cluster: ReachableCluster) => Promise<T | undefined>,
): Promise<T[]> {
  const { items } = await client.list(resources.clusters);
  const answers = await Promise.all(
    (items as Cluster[]).map(async cluster => {
      const { name = '' } = cluster.metadata;
      try {
        return await request({ name, target: await targets.ofCluster(cluster) });
      } catch (error) {
        if (error instanceof TooLarge) throw error;
        onError(error, name);
        return undefined;
      }
    }),
  );
  return answers.filter(answer => answer !== undefined);
}

const get = ({ user, signal }: RequestContext, { origin, prefix, pool, credentials }: Target, path: string) =>
  send(
    pool,
    {
      origin,
      method: 'GET',
      path: prefix + path,
      headers: [...impersonationHeaders(user), ...credentials],
      body: undefined,
      timeoutMs,
      isLong: false,
    },
    signal,
  );

/** Returns the path of the object, without a subresource. */
const objectPath = ({ group, version, resource, namespace, name }: RequestInfo): string =>
  pathOf({ group, version, resource }, { ...(resource === 'namespaces' ? {} : { namespace }), name });

async function forwardToHolder(request: ConnectRequest, info: RequestInfo, deps: AllClustersDeps): Promise<void> {
  const holders = await requestAll(deps, async cluster => {
    const answer = await get(request, cluster.target, objectPath(info));
    await answer.discard();
    return answer.status === 200 ? cluster : undefined;
  });
  const [only, ...others] = holders;
  if (!only) return respondError(request, 404, "resource not found or don't have permission to get it");
  if (others.length === 0) return forward(request, { target: only.target, path: request.rest });
  const names = holders.map(({ name }) => name).join(',');
  respondError(request, 409, `conflict resource, exist in more than one cluster: ${names}`);
}

/** Splits the list of a cluster without parsing its items. Throws BadAnswer, or TooLarge if the budget is exhausted. */
async function listOf(answer: Answer, request: string, budget: MemoryBudget): Promise<ListBody> {
  const refuse = (fault: string): never => {
    throw new BadAnswer(request, fault);
  };
  const splitter = new ListSplitter(refuse);
  const lane = turns.lane();
  const items: Buffer[] = [];
  for await (const chunk of answer.chunks({ maxBytes: maxListBytes, deadline: Infinity, request })) {
    const turn = lane.pause();
    if (turn) await turn;
    for (const { bytes } of splitter.take(chunk)) {
      budget.take(bytes.length);
      items.push(Buffer.from(bytes));
    }
  }
  const list = await readBounded(splitter.end(), refuse);
  if (typeof list !== 'object' || list === null) return refuse('it is not a list');
  return { headers: answer.headers, list, items };
}

async function mergeLists(request: ConnectRequest, deps: AllClustersDeps): Promise<void> {
  const { query } = request.exchange;
  const path = request.rest + (query === '' ? '' : `?${query}`);
  const budget = new MemoryBudget();
  const lists = await requestAll(deps, async ({ target }) => {
    const answer = await get(request, target, path);
    if (answer.status !== 200) return void (await answer.discard());
    return listOf(answer, `GET ${target.origin}${target.prefix}${request.rest}`, budget);
  }).catch((error: unknown) => {
    throw error instanceof TooLarge ? plainError(error.message) : error;
  });
  const [first] = lists;
  if (!first) return respondError(request, 404, 'not found');
  const { 'content-length': _length, ...headers } = responseHeaders(first.headers);
  headers['content-type'] = 'application/json';
  const { items: _items, ...list } = first.list as { items?: unknown };
  const head = jsonText(list).slice(0, -1);
  const opening = `${head}${head === '{' ? '' : ','}"items":[`;
  await writeList(request, headers, [opening, ']}'], itemsIn(lists));
}

function* itemsIn(lists: readonly ListBody[]): Generator<readonly Buffer[]> {
  for (const { items } of lists) for (const item of items) yield [item];
}

/** Forwards a request for a named object to the cluster that has it, merges lists, and forwards other paths to the control plane. */
export async function connectAll(request: ConnectRequest, deps: AllClustersDeps): Promise<void> {
  const { exchange, rest } = request;
  const info = deps.readPath(exchange.method, rest, request.query);
  // differs: upstream uses its own identity for these requests; here they impersonate the requester.
  if (!info.isResource) return forward(request, { target: deps.self, path: rest === '' ? '/' : rest });
  if (info.parts.length > 1) return forwardToHolder(request, info, deps);
  if (info.verb !== 'list') return respondError(request, 405, `Request verb ${info.verb} is not support`);
  return mergeLists(request, deps);
}
