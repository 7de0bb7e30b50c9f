/** Serves `proxying/NAME/proxy/...`: all members and the control plane as one server. as pkg/registry/search/storage ProxyingREST */
import type { KubeObject } from '../../apimachinery/interface.js';
import { methodNotSupported } from '../../apimachinery/errors/status.js';
import type { RequestContext, RequestInfo } from '../../apiserver/interface.js';
import { jsonText } from '../../lib/json/json.js';
import type { Client } from '../../client/interface.js';
import { forward } from '../proxy/forward.js';
import { cleanPath } from '../proxy/path.js';
import { getCluster, type Target, type Targets } from '../proxy/target.js';
import type { Caches } from './caches.js';
import { createReader, locate, type Reader } from './reader.js';
import { asInCluster } from './update-body.js';

export interface ProxyingDeps {
  readonly caches: Caches;
  readonly client: Client;
  readonly targets: Targets;
  /** The control plane itself, as somebody who may impersonate anybody. */
  readonly self: Target;
  readonly readPath: (method: string, path: string, query: RequestContext['query']) => RequestInfo;
  /** Answers a get, list or watch that asks for `info` as the API server does, with what the reader finds. */
  readonly serveRead: (passage: RequestContext, info: RequestInfo, reader: Reader) => Promise<void>;
  /** The object in a body, whatever its media type; undefined when it is none. */
  readonly decode: (
    body: Buffer,
    contentType: string,
    info: RequestInfo,
    caller: Pick<RequestContext, 'user' | 'signal'>,
  ) => Promise<KubeObject | undefined>;
}

/** As much as a request to the API may bring. */
const maxBytes = 3 * 1024 * 1024;
const reads = new Set(['get', 'list', 'watch']);

/** Writes, and parts of objects, go to the cluster that has the object. */
async function toItsCluster(
  passage: RequestContext,
  info: RequestInfo,
  path: string,
  deps: ProxyingDeps,
): Promise<void> {
  const { group, version, resource, namespace, name, verb } = info;
  const gvr = { group, version, resource };
  // Which cluster it should be created in cannot be told.
  if (verb === 'create' && name === '') throw methodNotSupported(gvr, verb);
  const { cluster } = locate(deps.caches, gvr, resource === 'namespaces' ? '' : namespace, name);
  const target = await deps.targets.ofCluster(await getCluster(deps.client, cluster));
  if (verb !== 'update') return forward(passage, { target, path });
  const sent = await passage.exchange.body(maxBytes);
  const type = passage.exchange.headers['content-type'];
  const object = await deps.decode(sent, typeof type === 'string' ? type : '', info, passage);
  const changed = object && asInCluster(object, cluster);
  const body = changed
    ? { bytes: Buffer.from(jsonText(changed)), type: 'application/json' }
    : { bytes: sent, type: undefined };
  return forward(passage, { target, path, body });
}

/** Of `/apis/GROUP/VERSION/proxying/NAME/proxy/REST` the REST, with its slash. */
function restOf(path: string): string {
  let at = 0;
  for (let i = 0; i < 6 && at >= 0; i++) at = path.indexOf('/', at + 1);
  return at < 0 ? '/' : cleanPath(path.slice(at));
}

export function createProxying(deps: ProxyingDeps): (passage: RequestContext) => Promise<void> {
  const reader = createReader(deps.caches);
  return async passage => {
    const path = restOf(passage.exchange.path);
    const info = deps.readPath(passage.exchange.method, path, passage.query);
    const { group, version, resource } = info;
    const registered = info.isResource && deps.caches.has({ group, version, resource });
    // differs: upstream asks the control plane in its own name, we in that of the requester.
    if (!registered) return forward(passage, { target: deps.self, path });
    if (info.subresource === '' && reads.has(info.verb) && passage.exchange.method === 'GET')
      return deps.serveRead(passage, info, reader);
    return toItsCluster(passage, info, path, deps);
  };
}
