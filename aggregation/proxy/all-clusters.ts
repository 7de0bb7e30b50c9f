/** A path behind the proxies of all clusters at once: clusters, wildcard, proxy. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ConnectRequest, RequestContext, Query, RequestInfo } from '../../apiserver/interface.js';
import { jsonText } from '../../lib/json/json.js';
import { plainError } from '../../apimachinery/errors/status.js';
import { BadAnswer } from '../remote/bad-answer.js';
import { bounded } from '../remote/bounded.js';
import type { Dispatcher } from '../remote/dispatcher.js';
import { limitInformational } from '../remote/informational.js';
import { largestList, sizeText } from '../remote/limits.js';
import { ListSplitter } from '../remote/list-splitter.js';
import { pathOf } from '../remote/paths.js';
import { readBounded } from '../remote/read-json.js';
import { turns } from '../remote/turns.js';
import { writeList } from './list-writer.js';
import type { Client } from '../../client/interface.js';
import type { Cluster } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { forward } from './forward.js';
import { impersonation, responseHeaders } from './headers.js';
import type { Target, Targets } from './target.js';

/** What method, path and query ask for, as the API server reads them. */
export type ReadPath = (method: string, path: string, query: Query) => RequestInfo;

export interface AllClustersDeps {
  /** Reads clusters and secrets; whether the requester may use the proxy was decided before. */
  readonly client: Client;
  readonly targets: Targets;
  readonly readPath: ReadPath;
  /** The control plane itself, spoken to in its administrator's name, who may impersonate anybody. */
  readonly self: Target;
  /** A cluster that could not be asked. */
  readonly onError: (error: unknown, cluster: string) => void;
}

interface Reached {
  readonly name: string;
  readonly target: Target;
}

/** What one cluster lists, not parsed. */
interface ListBody {
  readonly headers: IncomingHttpHeaders;
  /** The list besides its items. */
  readonly list: object;
  readonly items: readonly Buffer[];
}

/** Bytes of memory that the lists of all clusters may take together: none is sent before all are there. */
const largestJoined = 256 * 1024 * 1024;
/** What holding an item takes beside its text. */
const itemOverhead = 128;

/** Room for the lists of one request. */
class Room {
  #left = largestJoined;

  take(bytes: number): void {
    this.#left -= bytes + itemOverhead;
    if (this.#left < 0) throw new TooLarge();
  }
}

class TooLarge extends Error {
  constructor() {
    super(
      `the lists of all clusters are longer than ${sizeText(largestJoined)} together: set a limit, or ask the clusters one by one`,
    );
  }
}

/** As net/http Error writes it. */
function refuse(passage: RequestContext, code: number, text: string): void {
  const headers = {
    ...passage.answerHeaders(),
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  };
  passage.exchange.respond(code, headers, Buffer.from(`${text}\n`));
}

/** Asks each cluster that can be spoken to; those that fail have no say. Answers in the order of their names. */
async function askAll<T>(
  { client, targets, onError }: AllClustersDeps,
  ask: (reached: Reached) => Promise<T | undefined>,
): Promise<T[]> {
  const { items } = await client.list(resources.clusters);
  const answers = await Promise.all(
    (items as Cluster[]).map(async cluster => {
      const { name = '' } = cluster.metadata;
      try {
        return await ask({ name, target: await targets.ofCluster(cluster) });
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
  pool.request({
    ...{ origin, signal },
    onInfo: limitInformational(),
    method: 'GET',
    path: prefix + path,
    headers: [...impersonation(user), ...credentials],
  });

/** The object that a path belongs to, without what follows its name. */
const objectPath = ({ group, version, resource, namespace, name }: RequestInfo): string =>
  pathOf({ group, version, resource }, { ...(resource === 'namespaces' ? {} : { namespace }), name });

async function toTheOneThatHasIt(request: ConnectRequest, info: RequestInfo, deps: AllClustersDeps): Promise<void> {
  const having = await askAll(deps, async reached => {
    const { statusCode, body } = await get(request, reached.target, objectPath(info));
    await body.dump();
    return statusCode === 200 ? reached : undefined;
  });
  const [only, ...others] = having;
  if (!only) return refuse(request, 404, "resource not found or don't have permission to get it");
  if (others.length === 0) return forward(request, { target: only.target, path: request.rest });
  const names = having.map(({ name }) => name).join(',');
  refuse(request, 409, `conflict resource, exist in more than one cluster: ${names}`);
}

/** Takes the list of a cluster apart without parsing its items. Throws BadAnswer, or TooLarge when there is no room for it. */
async function listOf({ headers, body }: Dispatcher.ResponseData, request: string, room: Room): Promise<ListBody> {
  const refuse = (fault: string): never => {
    throw new BadAnswer(request, fault);
  };
  const splitter = new ListSplitter(refuse);
  const lane = turns.lane();
  const items: Buffer[] = [];
  for await (const chunk of bounded(body, { most: largestList, until: Infinity, request })) {
    const turn = lane.pause();
    if (turn) await turn;
    for (const { bytes } of splitter.take(chunk)) {
      room.take(bytes.length);
      items.push(Buffer.from(bytes));
    }
  }
  const list = readBounded(splitter.end(), refuse);
  if (typeof list !== 'object' || list === null) return refuse('it is not a list');
  return { headers, list, items };
}

async function joinedLists(request: ConnectRequest, deps: AllClustersDeps): Promise<void> {
  const { query } = request.exchange;
  const path = request.rest + (query === '' ? '' : `?${query}`);
  const room = new Room();
  const lists = await askAll(deps, async ({ target }) => {
    const answer = await get(request, target, path);
    if (answer.statusCode !== 200) return void (await answer.body.dump());
    return listOf(answer, `GET ${target.origin}${target.prefix}${request.rest}`, room);
  }).catch((error: unknown) => {
    throw error instanceof TooLarge ? plainError(error.message) : error;
  });
  const [first] = lists;
  if (!first) return refuse(request, 404, 'not found');
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

/** Objects with a name go to the cluster that has them, lists are joined, all else is the control plane's own. */
export async function connectAll(request: ConnectRequest, deps: AllClustersDeps): Promise<void> {
  const { exchange, rest } = request;
  const info = deps.readPath(exchange.method, rest, request.query);
  // differs: upstream asks in its own name what it may see, we in that of the requester.
  if (!info.isResource) return forward(request, { target: deps.self, path: rest === '' ? '/' : rest });
  if (info.parts.length > 1) return toTheOneThatHasIt(request, info, deps);
  if (info.verb !== 'list') return refuse(request, 405, `Request verb ${info.verb} is not support`);
  return joinedLists(request, deps);
}
