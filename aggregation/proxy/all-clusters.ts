/** Serves the subresource `proxy` of the cluster `*`: a path on all clusters at once. */
import type { ConnectRequest, RequestContext, Query, RequestInfo, ResponseHeaders } from '../../apiserver/interface.js';
import { isTooManyRequests, serviceUnavailable } from '../../apimachinery/errors/status.js';
import { jsonText } from '../../lib/json/json.js';
import { send } from '../remote/answer.js';
import { pathOf } from '../remote/paths.js';
import type { Client } from '../../client/interface.js';
import type { Cluster } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { enterTarget } from './enter-target.js';
import { forward } from './forward.js';
import { impersonationHeaders, responseHeaders } from './headers.js';
import { ListWriter } from './list-writer.js';
import { type ListSource, MergedList, type OpenAnswer } from './merged-list.js';
import { isClosedHere } from './reach-failure.js';
import { respondError } from './respond-error.js';
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
  /** Called for a cluster whose request failed; `*` if a list was broken off because of that. */
  readonly onError: (error: unknown, cluster: string) => void;
}

interface ReachableCluster {
  readonly name: string;
  readonly target: Target;
}

/** Milliseconds until a cluster answers, and between two parts of its answer. as undici headersTimeout */
const timeoutMs = 300_000;

export const allClusters = '*';

/** Reports whether the client has left, or this server stops. */
const isGivenUp = ({ signal }: RequestContext, error: unknown): boolean => signal.aborted || isClosedHere(error);

/**
 * Reports the failure of a cluster that is left out. Throws the error if it is one of the whole request: it is given up, or this server refuses it,
 * since it has too many requests to a cluster.
 */
function leaveOut(context: RequestContext, { onError }: AllClustersDeps, error: unknown, cluster: string): void {
  if (isGivenUp(context, error) || isTooManyRequests(error)) throw error;
  onError(error, cluster);
}

/** Sends a request to all clusters. Returns the results in the order of their names, without clusters that fail. Rejects as `leaveOut` throws. */
async function requestAll<T>(
  context: RequestContext,
  deps: AllClustersDeps,
  request: (cluster: ReachableCluster) => Promise<T | undefined>,
): Promise<T[]> {
  const { client, targets } = deps;
  const { items } = await client.list(resources.clusters);
  const answers = await Promise.all(
    (items as Cluster[]).map(async cluster => {
      const { name = '' } = cluster.metadata;
      try {
        return await request({ name, target: await targets.ofCluster(cluster) });
      } catch (error) {
        leaveOut(context, deps, error, name);
        return undefined;
      }
    }),
  );
  return answers.filter(answer => answer !== undefined);
}

/** Sends a GET in the name of the requester, as one of its requests to the cluster. */
async function get({ user, signal }: RequestContext, target: Target, path: string): Promise<OpenAnswer> {
  const { origin, prefix, pool, credentials } = target;
  const headers = [...impersonationHeaders(user), ...credentials];
  const request = { origin, method: 'GET', path: prefix + path, headers, body: undefined, timeoutMs, isLong: false };
  const leave = await enterTarget(target, request, { user: user.name, isLong: false, signal });
  try {
    return { answer: await send(pool, request, signal), leave };
  } catch (error) {
    leave();
    throw error;
  }
}

async function discard({ answer, leave }: OpenAnswer): Promise<void> {
  try {
    await answer.discard();
  } finally {
    leave();
  }
}

/** Returns the path of the object, without a subresource. */
const objectPath = ({ group, version, resource, namespace, name }: RequestInfo): string =>
  pathOf({ group, version, resource }, { ...(resource === 'namespaces' ? {} : { namespace }), name });

async function forwardToHolder(request: ConnectRequest, info: RequestInfo, deps: AllClustersDeps): Promise<void> {
  const holders = await requestAll(request, deps, async cluster => {
    const open = await get(request, cluster.target, objectPath(info));
    await discard(open);
    return open.answer.status === 200 ? cluster : undefined;
  });
  const [only, ...others] = holders;
  if (!only) return respondError(request, 404, "resource not found or don't have permission to get it");
  if (others.length === 0) return forward(request, { target: only.target, path: request.rest });
  const names = holders.map(({ name }) => name).join(',');
  respondError(request, 409, `conflict resource, exist in more than one cluster: ${names}`);
}

/** Returns a cluster of a list. The Cluster and its Secrets are read when the list comes to it. */
function sourceOf(request: ConnectRequest, { targets }: AllClustersDeps, cluster: Cluster): ListSource {
  const { name = '' } = cluster.metadata;
  return {
    name,
    request: `GET ${cluster.spec.apiEndpoint ?? ''}${request.rest}`,
    async open(query) {
      const open = await get(request, await targets.ofCluster(cluster), request.rest + query);
      if (open.answer.status === 200) return open;
      await discard(open);
      return open.answer.status;
    },
  };
}

async function mergeLists(request: ConnectRequest, deps: AllClustersDeps): Promise<void> {
  const { items } = await deps.client.list(resources.clusters);
  const list = new MergedList({
    sources: (items as Cluster[]).map(cluster => sourceOf(request, deps, cluster)),
    query: request.query,
    queryText: request.exchange.query,
    onError: (error, cluster) => leaveOut(request, deps, error, cluster),
  });
  let writer: ListWriter | undefined;
  try {
    for await (const some of list.items()) {
      writer ??= new ListWriter(request, mergedHeaders(list), '{"items":[');
      for (const item of some) {
        const drained = writer.add([item]);
        if (drained) await drained;
      }
      if (writer.closed) return;
    }
  } catch (error) {
    // A part of the list was written: the client must not take it for the whole.
    if (!writer) throw error;
    if (!isGivenUp(request, error)) deps.onError(error, allClusters);
    return request.exchange.abort();
  }
  if (!writer) return respondError(request, 404, 'not found');
  // Which page follows is known when the items were written.
  writer.end(`],${jsonText(list.fields).slice(1)}`);
}

function mergedHeaders({ headers = {} }: MergedList): ResponseHeaders {
  const { 'content-length': _length, ...others } = responseHeaders(headers);
  return { ...others, 'content-type': 'application/json' };
}

/** Forwards a request for a named object to the cluster that has it, merges lists, and forwards other paths to the control plane. */
export async function connectAll(request: ConnectRequest, deps: AllClustersDeps): Promise<void> {
  const { exchange, rest } = request;
  const info = deps.readPath(exchange.method, rest, request.query);
  // differs: upstream uses its own identity for these requests; here they impersonate the requester.
  if (!info.isResource) return forward(request, { target: deps.self, path: rest === '' ? '/' : rest });
  const isObject = info.parts.length > 1;
  if (!isObject && info.verb !== 'list') return respondError(request, 405, `Request verb ${info.verb} is not support`);
  try {
    await (isObject ? forwardToHolder(request, info, deps) : mergeLists(request, deps));
  } catch (error) {
    throw isGivenUp(request, error) ? serviceUnavailable('the request was given up') : error;
  }
}
