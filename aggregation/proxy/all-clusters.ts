/** A path behind the proxies of all clusters at once: clusters, wildcard, proxy (inventory AGG-02). */
import type { ConnectRequest, Passage, Query, RequestInfo } from '../../apiserver/interface.js';
import { jsonText } from '../../openapi/meta/json.js';
import { readJson } from '../../openapi/schema/read-json.js';
import { pathOf } from '../remote/paths.js';
import type { Client } from '../../registry/interface.js';
import type { Cluster } from '../../registry/kinds/karmada/types.js';
import { resources } from '../../registry/kinds/karmada/well-known.js';
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

interface ListBody {
  items?: unknown[];
}

/** As net/http Error writes it. */
function refuse(passage: Passage, code: number, text: string): void {
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
        onError(error, name);
        return undefined;
      }
    }),
  );
  return answers.filter(answer => answer !== undefined);
}

const get = ({ user, signal }: Passage, { origin, prefix, pool, credentials }: Target, path: string) =>
  pool.request({
    ...{ origin, signal },
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

async function joinedLists(request: ConnectRequest, deps: AllClustersDeps): Promise<void> {
  const { query } = request.exchange;
  const path = request.rest + (query === '' ? '' : `?${query}`);
  const lists = await askAll(deps, async ({ target }) => {
    const { statusCode, headers, body } = await get(request, target, path);
    if (statusCode !== 200) return void (await body.dump());
    return { headers, list: readJson(await body.text()) as ListBody };
  });
  const [first] = lists;
  if (!first) return refuse(request, 404, 'not found');
  const items = lists.flatMap(({ list }) => list.items ?? []);
  const { 'content-length': _length, ...headers } = responseHeaders(first.headers);
  headers['content-type'] = 'application/json';
  request.exchange.respond(200, headers, Buffer.from(jsonText({ ...first.list, items })));
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
