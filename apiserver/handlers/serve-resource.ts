/** What the handlers of resources share, and which of them serves which verb. */
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

/** What the handlers are built from. */
export interface HandlerDeps {
  readonly pipeline: Pipeline;
  readonly authorize: Authorizer;
  readonly frames: FrameCache;
  readonly fanOutGroups: FanOutGroups;
  readonly encodings: Encodings;
  /** Reads large bodies in another thread. */
  readonly offload: Offload;
  readonly now: () => Date;
  /** Milliseconds after which a watch without timeoutSeconds ends: between once and twice this. */
  readonly minRequestTimeout: number;
  readonly random: () => number;
  /** Other servers may serve from the same store. */
  readonly hasPeers?: boolean;
}

export type Handler = (deps: HandlerDeps, request: Request, route: Route) => Promise<void>;

/** What Accept headers come to at a route: clients say the same again and again. */
interface Negotiated {
  readonly plain: Map<string, Representation>;
  readonly pretty: Map<string, Representation>;
}

const negotiated = new WeakMap<Route, Negotiated>();
const maxKept = 64;

function negotiatedAt(route: Route): Negotiated {
  let known = negotiated.get(route);
  if (!known) negotiated.set(route, (known = { plain: new Map(), pretty: new Map() }));
  return known;
}

/** hot: how the answer is to be written; 406 when it cannot be. */
export function representationOf(request: Request, route: Route): Representation {
  const accept = request.header('accept') ?? '';
  const pretty = wantsPretty(request.query.get('pretty'), request.header('user-agent'));
  const known = negotiatedAt(route)[pretty ? 'pretty' : 'plain'];
  let representation = known.get(accept);
  if (!representation) {
    representation = represent(accept, pretty, route);
    if (known.size >= maxKept) known.clear();
    known.set(accept, representation);
  }
  return representation;
}

function represent(accept: string, pretty: boolean, route: Route): Representation {
  const streams = route.verb === 'list' || route.verb === 'watch';
  if (!isCustom(route.definition) && !mentions(accept, acceptedTypes))
    throw routerNotAcceptable(streams ? [...acceptedTypes, ...acceptedStreamTypes] : acceptedTypes);
  const representation = negotiate(accept, pretty, endpointOf(route.definition));
  if (!representation) throw notAcceptable(acceptedTypes);
  return representation;
}

/** hot: a request as the pipeline sees it. */
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

  /** The path of a namespace names one, without the namespace being in it. */
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
