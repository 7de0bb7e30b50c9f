/** The common functions of the handlers of resources. */
import type { Authorizer } from '../../authn/interface.js';
import type { Offload } from '../../lib/offload/interface.js';
import { notAcceptable } from '../../apimachinery/errors/status.js';
import type { Verb } from '../../registry/interface.js';
import type { RequestScope, Pipeline } from '../../registry/pipeline/interface.js';
import { attributesOf, mustBeAllowed } from '../http/filters.js';
import type { Request } from '../http/request.js';
import {
  acceptedStreamTypes,
  acceptedTypes,
  mentions,
  negotiate,
  type Representation,
  wantsPretty,
} from '../negotiate/accept.js';
import type { FrameCache } from '../negotiate/frames.js';
import type { FanOutGroups } from './fan-out.js';
import { endpointOf } from '../negotiate/endpoints.js';
import type { Encodings } from '../negotiate/protobuf/encodings.js';
import { isCustom, type Route } from './route.js';
import { routerNotAcceptable } from './refusals.js';

/** The dependencies of the handlers. */
export interface HandlerDeps {
  readonly pipeline: Pipeline;
  readonly authorize: Authorizer;
  readonly frames: FrameCache;
  readonly fanOutGroups: FanOutGroups;
  readonly encodings: Encodings;
  /** Runs work on large bodies in another thread. */
  readonly offload: Offload;
  readonly now: () => Date;
  /** A watch without timeoutSeconds ends after this number of milliseconds to twice as many, at random. */
  readonly minRequestTimeoutMs: number;
  readonly random: () => number;
  /** True when other servers may serve from the same store. */
  readonly hasPeers?: boolean;
}

export type Handler = (deps: HandlerDeps, request: Request, route: Route) => Promise<void>;

/** A representation with the route that it was negotiated for, so that handlers need not pass both. */
export interface RouteRepresentation extends Representation {
  readonly route: Route;
}

/** Cached results of negotiation at a route, by Accept header. */
interface Negotiated {
  readonly plain: Map<string, RouteRepresentation>;
  readonly pretty: Map<string, RouteRepresentation>;
}

const negotiated = new WeakMap<Route, Negotiated>();
const maxCachedHeaders = 64;

function negotiatedAt(route: Route): Negotiated {
  let known = negotiated.get(route);
  if (!known) negotiated.set(route, (known = { plain: new Map(), pretty: new Map() }));
  return known;
}

/** hot: returns the representation of the answer. Throws 406 when the client accepts none that can be written. */
export function representationOf(request: Request, route: Route): RouteRepresentation {
  const accept = request.header('accept') ?? '';
  const pretty = wantsPretty(request.query.get('pretty'), request.header('user-agent'));
  const known = negotiatedAt(route)[pretty ? 'pretty' : 'plain'];
  let representation = known.get(accept);
  if (!representation) {
    representation = { ...represent(accept, pretty, route), route };
    if (known.size >= maxCachedHeaders) known.clear();
    known.set(accept, representation);
  }
  return representation;
}

function represent(accept: string, pretty: boolean, route: Route): Representation {
  const isStreamable = route.verb === 'list' || route.verb === 'watch';
  if (!isCustom(route.definition) && !mentions(accept, acceptedTypes))
    throw routerNotAcceptable(isStreamable ? [...acceptedTypes, ...acceptedStreamTypes] : acceptedTypes);
  const representation = negotiate(accept, pretty, endpointOf(route.definition));
  if (!representation) throw notAcceptable(acceptedTypes);
  return representation;
}

/** hot: presents a request to the pipeline. */
class RequestCall implements RequestScope {
  readonly definition;
  readonly version;
  readonly fieldManager: string;
  bodyBytes: number;
  readonly #deps: HandlerDeps;
  readonly #request: Request;

  constructor(deps: HandlerDeps, request: Request, route: Route, fieldManager: string, bodyBytes: number) {
    this.definition = route.definition;
    this.version = route.version;
    this.fieldManager = fieldManager;
    this.bodyBytes = bodyBytes;
    this.#deps = deps;
    this.#request = request;
  }

  get user() {
    return this.#request.user;
  }

  get subresource() {
    return this.#request.info.subresource;
  }

  /** The namespace of the request; '' for cluster-scoped resources. The path of a Namespace names it, but the object has no namespace. */
  get namespace() {
    return this.definition.namespaced ? this.#request.info.namespace : '';
  }

  get signal() {
    return this.#request.signal;
  }

  readonly authorize = async (verb: string): Promise<void> => {
    await mustBeAllowed(this.#deps.authorize, this.user, { ...attributesOf(this.#request.info), verb });
  };

  warn(text: string): void {
    this.#request.warn(text);
  }

  annotate(key: string, value: string): void {
    this.#request.annotate(key, value);
  }

  waited(milliseconds: number): void {
    this.#request.waited(milliseconds);
  }
}

/** Returns the scope of a request. `bodyBytes`: the size of its body, by which the pipeline decides about pauses. */
export function callOf(
  deps: HandlerDeps,
  request: Request,
  route: Route,
  fieldManager = '',
  bodyBytes = 0,
): RequestScope {
  return new RequestCall(deps, request, route, fieldManager, bodyBytes);
}

export type Handlers = Readonly<Record<Verb, Handler>>;
