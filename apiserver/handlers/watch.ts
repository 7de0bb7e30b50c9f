import type { KubeObject } from '../../apimachinery/interface.js';
import { jsonText } from '../../lib/json/json.js';
import { jsonTextSteps } from '../../lib/json/text-steps.js';
import { notAcceptable, StatusError, statusOf } from '../../apimachinery/errors/status.js';
import type { WatchQuery } from '../../client/interface.js';
import type { RequestScope, ObjectEvent, Events } from '../../registry/pipeline/interface.js';
import { loadedObject } from '../../registry/pipeline/stored/loaded.js';
import { canonicalSteps } from '../../registry/pipeline/stored/layout.js';
import type { Request } from '../http/request.js';
import { isWebSocket, openWebSocket } from '../http/web-socket/web-socket.js';
import { acceptedStreamTypes, mediaTypes, type Representation } from '../negotiate/accept.js';
import { eventFrame, storedFrame } from '../negotiate/frames.js';
import { partialPieces } from '../negotiate/list-body.js';
import { encodeProtobuf, encodeWatchEvent } from '../negotiate/protobuf/envelope.js';
import { parseIncludeObject, rowTable, type TableOptions } from '../negotiate/table.js';
import { withName } from './list.js';
import { watchOptions } from './options.js';
import type { Subscriber } from './fan-out.js';
import { type FirstStep, pump, type PumpOptions } from './pump.js';
import { protobufChanges } from './protobuf.js';
import { isCustom, type Route } from './route.js';
import { callOf, type Handler, type HandlerDeps, representationOf } from './serve-resource.js';
import { initialEventsEndAnnotation } from '../../api/kubernetes/well-known.js';
import type { Maybe } from '../../lib/maybe.js';
import { atOnce, inTimeSlices } from '../../lib/time-slice.js';

type Change = Exclude<ObjectEvent, { type: 'BOOKMARK' }>;
/** Returns the frame of an event of one watch. */
type Encode = (event: ObjectEvent) => Maybe<Buffer>;

/** Returns a bookmark: an object with only the revision that the watch has reached, and the fields that its type always writes. */
function bookmark(route: Route, event: Extract<ObjectEvent, { type: 'BOOKMARK' }>): KubeObject {
  const metadata = {
    resourceVersion: String(event.revision),
    ...(event.initialEventsEnd ? { annotations: { [initialEventsEndAnnotation]: 'true' } } : {}),
  };
  const { definition, version, apiVersion } = route;
  return atOnce(canonicalSteps(definition, version.schema, { kind: definition.kind, apiVersion, metadata }));
}

async function requestedJson(deps: HandlerDeps, route: Route, call: RequestScope, { stored }: Change): Promise<Buffer> {
  if (!route.converts) return stored.json;
  return Buffer.from(await inTimeSlices(jsonTextSteps(await deps.pipeline.convert(call, stored))));
}

/** hot: encodes whole objects as JSON. */
function plainEncoder(deps: HandlerDeps, route: Route, call: RequestScope): Encode {
  const { frames } = deps;
  const { definition } = route;
  const version = route.converts ? ` ${route.apiVersion}` : '';
  return event => {
    if (event.type === 'BOOKMARK') return eventFrame('BOOKMARK', [Buffer.from(JSON.stringify(bookmark(route, event)))]);
    const { stored, type } = event;
    const form = type + version;
    const known = frames.get(stored, form);
    if (known) return known;
    // A frame that no other watch needs is not cached, so that it is garbage as soon as it is written.
    if (!route.converts && !frames.isShared(definition)) return storedFrame(type, stored);
    if (!route.converts) return frames.put(stored, form, storedFrame(type, stored));
    return requestedJson(deps, route, call, event).then(json => frames.put(stored, form, eventFrame(type, [json])));
  };
}

function partialEncoder({ frames }: HandlerDeps, route: Route, { version }: Representation): Encode {
  return event => {
    if (event.type === 'BOOKMARK') {
      const json = Buffer.from(JSON.stringify(bookmark(route, event)));
      return eventFrame('BOOKMARK', partialPieces(json, version));
    }
    const { stored, type } = event;
    const form = `${type} partial ${version}`;
    const hidden = route.definition.fieldAnnotations;
    const known = frames.get(stored, form);
    return known ?? frames.put(stored, form, eventFrame(type, partialPieces(stored.json, version, hidden)));
  };
}

/** Encodes events as Tables. Rows contain the age of the object, so frames are made for each watcher. */
function tableEncoder(
  deps: HandlerDeps,
  request: Request,
  route: Route,
  call: RequestScope,
  version: TableOptions['version'],
): Encode {
  const include = parseIncludeObject(request.query.get('includeObject'));
  const { printer } = route.version;
  let isFirst = true;
  return async event => {
    const options = { printer, version, include, now: deps.now(), hidden: route.definition.fieldAnnotations };
    const withColumns = isFirst;
    isFirst = false;
    if (event.type === 'BOOKMARK') {
      const object = bookmark(route, event);
      const source = { json: Buffer.from(jsonText(object)), object };
      return eventFrame('BOOKMARK', [rowTable(source, options, withColumns)]);
    }
    const json = await requestedJson(deps, route, call, event);
    const printsRequested = route.converts && isCustom(route.definition);
    const object = await (printsRequested ? deps.pipeline.convert(call, event.stored) : loadedObject(event.stored));
    return eventFrame(event.type, [rowTable({ json, object }, options, withColumns)]);
  };
}

/** hot: encodes events as protobuf. Bookmarks, too, are in the requested form. */
function protobufEncoder(deps: HandlerDeps, route: Route, representation: Representation, call: RequestScope): Encode {
  const { as, version } = representation;
  if (as === 'PartialObjectMetadataList' && !route.definition.wire.protobuf) throw notAcceptable(acceptedStreamTypes);
  const change = protobufChanges(deps, route, representation, call);
  const kind = as === 'PartialObjectMetadata' ? { kind: as, apiVersion: `meta.k8s.io/${version}` } : {};
  return event => {
    if (event.type !== 'BOOKMARK') return change(event);
    return encodeWatchEvent('BOOKMARK', encodeProtobuf({ ...bookmark(route, event), ...kind }));
  };
}

function encoderFor(
  deps: HandlerDeps,
  request: Request,
  route: Route,
  representation: Representation,
  call: RequestScope,
): Encode {
  const { as, format, version } = representation;
  if (format === 'yaml') throw notAcceptable(acceptedStreamTypes);
  if (format === 'protobuf') return protobufEncoder(deps, route, representation, call);
  // Events have no form as PartialObjectMetadataList, and are sent as they are. as apiserver/pkg/endpoints/handlers/response.go watchEmbeddedEncoder
  if (as === undefined || as === 'PartialObjectMetadataList') return plainEncoder(deps, route, call);
  if (as === 'Table') return tableEncoder(deps, request, route, call, version);
  return partialEncoder(deps, route, representation);
}

/**
 * Returns the query with a random timeout if the client sent none, so that watches do not end together. as apiserver/pkg/endpoints/handlers
 * ListResource
 */
function withTimeout(deps: HandlerDeps, query: WatchQuery): WatchQuery {
  if ((query.timeoutSeconds ?? 0) !== 0) return query; // A negative timeout ends the watch at once.
  return { ...query, timeoutSeconds: (deps.minRequestTimeoutMs * (1 + deps.random())) / 1000 };
}

/** Takes the first event of a watch; undefined when there is none yet. Throws the errors that are answered with a Status. */
function firstOf(events: Events): FirstStep | undefined {
  try {
    const next = events.take();
    return next && (() => next);
  } catch (error) {
    // A watch from a compacted revision is begun, and its first event is the error.
    if (!(error instanceof StatusError && error.code === 410)) throw error;
    return () => {
      throw error;
    };
  }
}

/** Returns the first step if it is ready within two turns of the event loop. Rejects with errors that are to be the answer, instead of a stream. */
async function awaitFirst(events: Events): Promise<FirstStep | undefined> {
  const first = firstOf(events);
  if (first) return first;
  await new Promise<void>(resolve => {
    events.onReady(resolve);
    setImmediate(() => setImmediate(resolve));
  });
  return firstOf(events);
}

/** Returns what frames depend on besides their events; undefined when they depend on the watcher, or on a conversion. */
function sharedForm(route: Route, { as, format, version }: Representation): string | undefined {
  const partial = as === 'PartialObjectMetadata';
  if (as === 'Table' || (route.converts && !partial)) return undefined;
  return `${route.apiVersion} ${format} ${partial ? version : ''}`;
}

/** Releases the seat of a watch when a turn of the event loop passes without an event: the initial events were sent. */
function watchInitialisation(request: Request, sentEvents: () => number): void {
  let before = -1;
  const check = (): void => {
    if (sentEvents() === before) return request.ticket?.initialised();
    before = sentEvents();
    setImmediate(check);
  };
  check();
}

/** Sends events until the watch, the client or the server ends it. A failure after the answer was begun is the last event. */
async function sendEvents(
  request: Request,
  route: Route,
  options: Omit<PumpOptions, 'sent'>,
  { format }: Representation,
): Promise<void> {
  let sentEvents = 0;
  watchInitialisation(request, () => sentEvents);
  const sent = (bytes: number, times: number): void => {
    sentEvents++;
    route.metrics.watchEvent(bytes, times);
  };
  try {
    await pump({ ...options, sent });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const status = statusOf(error);
    options.stream.write(
      format === 'protobuf'
        ? encodeWatchEvent('ERROR', encodeProtobuf({ ...status }))
        : eventFrame('ERROR', [Buffer.from(JSON.stringify(status))]),
    );
  }
}

/** hot: answers with a stream of events. */
export const watch: Handler = async (deps, request, route) => {
  const representation = representationOf(request, route);
  const call = callOf(deps, request, route);
  const query = withTimeout(deps, withName(request.info, watchOptions(request.query, call.namespace)));
  const encode = encoderFor(deps, request, route, representation, call);
  const events = deps.pipeline.watch(call, query);
  const watchEnds = deps.frames.watchBegins(route.definition);
  try {
    const first = await awaitFirst(events);
    const headers = request.answerHeaders();
    const inProtobuf = representation.format === 'protobuf';
    headers['content-type'] = inProtobuf ? `${mediaTypes.protobuf};stream=watch` : mediaTypes.json;
    const stream =
      (isWebSocket(request) && (await openWebSocket(request, inProtobuf))) || request.exchange.stream(200, headers);
    const ended = route.metrics.longRunning();
    try {
      const form = sharedForm(route, representation);
      const { lane } = request.exchange;
      const join =
        form === undefined ? undefined : (subscriber: Subscriber) => deps.fanOutGroups.join(form, subscriber);
      await sendEvents(request, route, { first, events, encode, stream, lane, join }, representation);
    } finally {
      stream.end();
      ended(200, request.seconds, request);
    }
  } finally {
    watchEnds();
    events.close();
    request.release();
  }
};
