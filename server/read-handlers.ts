/** Uses the API server's read handlers for readers other than its pipeline. */
import type { ResourceReader } from '../aggregation/search/reader.js';
import { FanOutGroups } from '../apiserver/handlers/fan-out.js';
import { list, withName, writeListAnswer } from '../apiserver/handlers/list.js';
import { get } from '../apiserver/handlers/get.js';
import { decodeObject, mediaType } from '../apiserver/handlers/decode.js';
import { type Caller, readYamlBody } from '../apiserver/handlers/yaml-body.js';
import { listOptions } from '../apiserver/handlers/options.js';
import { type Route, routes } from '../apiserver/handlers/route.js';
import { callOf, type HandlerDeps, representationOf } from '../apiserver/handlers/serve-resource.js';
import { watch } from '../apiserver/handlers/watch.js';
import { Request } from '../apiserver/http/request.js';
import type { RequestContext, RequestInfo } from '../apiserver/interface.js';
import { serverMetrics } from '../apiserver/metrics/request-metrics.js';
import { type Format, mediaTypes } from '../apiserver/negotiate/accept.js';
import { FrameCache } from '../apiserver/negotiate/frames.js';
import { Encodings } from '../apiserver/negotiate/protobuf/encodings.js';
import type { KubeObject } from '../apimachinery/interface.js';
import type { Offload } from '../lib/offload/interface.js';
import { atOnce } from '../lib/time-slice.js';
import { parseJson } from '../lib/json/json.js';
import { StatusError } from '../apimachinery/errors/status.js';
import type { Catalogue } from '../registry/interface.js';
import { isStreamable, streamList } from './streamed-list.js';
import { Registry } from 'prom-client';

const handlers = { get, list, watch };
/** Milliseconds that a watch without a timeout lasts at least. */
const minRequestTimeoutMs = 1_800_000;

/** Returns the request behind the proxy, on the same exchange. */
function inner(passage: RequestContext, info: RequestInfo): Request {
  const request = new Request(passage.exchange, () => undefined);
  const { user, auditId, signal } = passage;
  Object.assign(request, { user, auditId, info });
  const abort = (): void => request.abort(signal.reason as Error);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return request;
}

/**
 * Returns a handler for reads with tables, metadata only, protobuf, YAML, selectors and watches, as for the server's own objects. A reader has the
 * functions for the verbs of the catalogue's kinds.
 */
export function readHandlers(
  catalogue: Catalogue,
  offload: Offload,
): (passage: RequestContext, info: RequestInfo, reader: Partial<ResourceReader>) => Promise<void> {
  // A separate registry: these requests are counted as connects already.
  const find = routes(catalogue, serverMetrics(new Registry()).route);
  const frames = new FrameCache();
  const fanOutGroups = new FanOutGroups();
  // Keys of two members may be equal, so nothing is cached.
  const encodings = new Encodings(0);
  return async (passage, info, reader) => {
    const route = { ...find(passage.exchange.method, info), converts: false };
    const deps: HandlerDeps = {
      pipeline: reader as HandlerDeps['pipeline'],
      authorize: () => ({ allowed: true, reason: '' }),
      now: () => new Date(),
      random: Math.random,
      ...{ frames, fanOutGroups, encodings, offload, minRequestTimeoutMs },
    };
    const request = inner(passage, info);
    if (route.verb === 'list' && reader.listParts && (await streamed(deps, request, { route, reader }))) return;
    await handlers[route.verb as keyof typeof handlers](deps, request, route);
  };
}

interface Reading {
  readonly route: Route;
  readonly reader: Partial<ResourceReader>;
}

/** Answers with a list in parts if that takes less memory. Returns false if it is to be answered as a whole. */
async function streamed(deps: HandlerDeps, request: Request, { route, reader }: Reading): Promise<boolean> {
  const representation = representationOf(request, route);
  if (!isStreamable(representation)) return false;
  const call = callOf(deps, request, route);
  const parts = reader.listParts?.(call, withName(request.info, listOptions(request.query, call.namespace)));
  if (!parts) return false;
  await streamList(request, representation, parts, metadata =>
    writeListAnswer(deps, request, representation, call, { metadata, items: [] }),
  );
  return true;
}

/** Returns a function that reads the object from a body of any media type of the API; undefined when it cannot be read. */
export function decoder(catalogue: Catalogue, offload: Offload) {
  return async (
    bytes: Buffer,
    contentType: string,
    { group, version, resource }: RequestInfo,
    caller: Caller,
  ): Promise<KubeObject | undefined> => {
    const type = mediaType(contentType);
    const format = (Object.keys(mediaTypes) as Format[]).find(each => mediaTypes[each] === type) ?? 'json';
    const definition = catalogue.find({ group, version, resource });
    try {
      if (format === 'json') return parseJson(bytes.toString('utf8')) as KubeObject;
      if (!definition) return undefined;
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const schema = definition.versions.find(each => each.name === version)?.schema ?? {};
      const body = format === 'yaml' ? await readYamlBody(offload, caller, bytes) : { format, bytes };
      const custom = definition.wire.itemsCarryType;
      return atOnce(decodeObject(body, { apiVersion, kind: definition.kind, group, schema, custom }, false)).object;
    } catch (error) {
      if (error instanceof StatusError && error.code === 429) throw error;
      return undefined; // the member reports the error
    }
  };
}
