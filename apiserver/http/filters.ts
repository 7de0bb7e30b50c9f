/** Holds the filters that every request passes before it reaches a handler, in this order. as apiserver/pkg/server DefaultBuildHandlerChain */
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { refusal } from '../../authn/refusal.js';
import { headersOf } from '../../authn/identity/headers.js';
import { anonymousName } from '../../authn/identity/system-users.js';
import type { Impersonate } from '../../authn/identity/impersonation.js';
import type { Attributes, Authenticator, Authorizer, Decision, Headers } from '../../authn/interface.js';
import { readDuration } from '../../lib/go/duration.js';
import { badRequest, isTooManyRequests, unauthorized } from '../../apimachinery/errors/status.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { HttpExchange, RequestInfo } from '../interface.js';
import type { ObserveIdentity, AuthorizationResult, AuthenticationResult } from '../metrics/identity-metrics.js';
import { TextAnswer } from './answer.js';
import { hasTooManyParameters } from './query.js';
import { isLongRunning, PathError, requestInfo, RequestInfoError } from './request-info.js';
import type { Request } from './request.js';
import { andThen, type Maybe } from '../../lib/maybe.js';

/** Records requests for the audit log. */
export interface Audit {
  /** The filter that follows authentication. */
  readonly begin: RequestFilter;
  /** Records a request whose authentication failed. */
  refused(request: Request): void;
}

/** One filter. It may refuse the request by throwing an error, or answer it itself; then the filters after it do not run. */
export type RequestFilter = (request: Request) => Maybe<void>;

interface FilterDeps {
  readonly authenticate: Authenticator;
  readonly impersonate: Impersonate;
  readonly authorize: Authorizer;
  /** Undefined when there is no audit log. */
  readonly audit?: Audit;
  /** Waits for the body of a request, before the request counts against any limit. */
  readonly awaitBody?: RequestFilter;
  /** Lets a request pass, wait or fail with 429, depending on the requests that are being served. */
  readonly limit: RequestFilter;
  readonly route: RequestFilter;
  /** Filters that run before authentication. */
  readonly edge?: readonly RequestFilter[];
  readonly observe?: Pick<ObserveIdentity, 'authenticated' | 'authorized'>;
  /** Milliseconds that a request without `timeout` may take. */
  readonly requestTimeoutMs: number;
}

const auditId: RequestFilter = request => {
  request.auditId = request.header('audit-id') || randomUUID();
};

const info: RequestFilter = request => {
  const { method, path, query } = request.exchange;
  try {
    request.info = requestInfo(method, path, request.query);
  } catch (error) {
    if (error instanceof PathError) throw new TextAnswer(400, '400 Bad Request');
    if (!(error instanceof RequestInfoError)) throw error;
    throw new TextAnswer(500, `Internal Server Error: ${JSON.stringify(path)}: ${error.message}`);
  }
  // differs: upstream ignores all parameters of such a query, so that a dry run would write
  if (hasTooManyParameters(query)) throw badRequest('the query has more than 10000 parameters');
};

/**
 * Writes of one object have less time than other requests: this many milliseconds.
 * as apiserver/pkg/endpoints/handlers requestTimeoutUpperBound
 */
const writeTimeout = 34_000;
const writes = new Set(['create', 'update', 'patch', 'delete']);

/** Sets the deadline of a write, counted from the end of its wait in a queue. Long-running requests (a POST to `pods/exec`) have none. */
const writeDeadline: RequestFilter = request => {
  if (request.deadline === Infinity || !writes.has(request.info.verb)) return;
  const deadline = performance.now() + writeTimeout;
  if (deadline < request.deadline) request.deadline = deadline;
};

/**
 * Sets the deadline of a request: `maxMs` after its arrival. `?timeout=` shortens the time, and never extends it.
 * as apiserver/pkg/endpoints/filters WithRequestDeadline
 */
const deadline =
  (maxMs: number): RequestFilter =>
  request => {
    if (isLongRunning(request.info)) return;
    const timeout = request.query.get('timeout') ?? '';
    let milliseconds = maxMs;
    if (timeout !== '') {
      const parsed = readDuration(timeout);
      if (typeof parsed === 'object')
        throw badRequest(`invalid timeout specified in the request URL - ${parsed.error}`);
      const timeoutMs = Number(parsed) / 1e6;
      if (timeoutMs > 0 && timeoutMs < milliseconds) milliseconds = timeoutMs;
    }
    request.deadline = request.received + milliseconds;
  };

/** Headers that authentication reads and that a client may send several times. */
const repeatable = /^(?:impersonate-|x-remote-)/;
const letterI = 0x69;
const letterX = 0x78;

/** Returns headers whose repeated ones are lists. hot: Node joins repeated headers; they are split again only if one is `repeatable`. */
function distinctHeaders({ headers, rawHeaders }: HttpExchange): Headers {
  for (const name in headers) {
    const first = name.charCodeAt(0);
    if ((first === letterI || first === letterX) && repeatable.test(name)) return headersOf(rawHeaders);
  }
  return headers;
}

/**
 * Ends the HTTP/2 connection of a client that is not authenticated, so that each attempt costs it a handshake.
 * as apiserver/pkg/endpoints/filters/authentication.go (UnauthenticatedHTTP2DOSMitigation)
 */
function endConnection({ exchange }: Request): void {
  if (exchange.protocol === 'HTTP/2.0') exchange.leave();
}

type Observe = FilterDeps['observe'];

class Authentication {
  readonly #authenticator: Authenticator;
  readonly #onRefusal: (request: Request) => void;
  readonly #observe: Observe;

  constructor(authenticator: Authenticator, onRefusal: (request: Request) => void, observe: Observe) {
    this.#authenticator = authenticator;
    this.#onRefusal = onRefusal;
    this.#observe = observe;
  }

  /**
   * Sets the user of a request. hot: creates no promise and no closure for an available user. Throws or rejects with 401 when its credentials are not
   * accepted.
   */
  authenticate(request: Request): Maybe<void> {
    let user: ReturnType<Authenticator>;
    try {
      user = this.#identify(request);
    } catch (error) {
      return this.#fail(request, error);
    }
    if (!(user instanceof Promise)) return this.#accept(request, user);
    return user.then(
      found => this.#accept(request, found),
      (error: unknown) => this.#fail(request, error),
    );
  }

  #identify(request: Request): ReturnType<Authenticator> {
    const { exchange, info } = request;
    request.headers = distinctHeaders(exchange);
    const { peer } = exchange;
    return this.#authenticator({
      headers: request.headers,
      path: info.path,
      certificate: peer.certificate,
      connection: peer,
    });
  }

  #accept(request: Request, user: Identity | undefined): void {
    if (!user) return this.#refuse(request, unauthorized(), 'failure');
    request.user = user;
    this.#observeResult(request, 'success');
    if (user.name === anonymousName) endConnection(request);
  }

  /** Refuses a request whose authentication has failed. A 429 says nothing about the credentials: the client may try again on its connection. */
  #fail(request: Request, error: unknown): never {
    if (isTooManyRequests(error)) throw error;
    return this.#refuse(request, error, 'error');
  }

  #refuse(request: Request, error: unknown, result: AuthenticationResult): never {
    this.#observeResult(request, result);
    this.#onRefusal(request);
    endConnection(request);
    throw error;
  }

  #observeResult(request: Request, result: AuthenticationResult): void {
    // The filters before authentication take a negligible part of `request.seconds`.
    this.#observe?.authenticated(result, request.seconds, request.user.name);
  }
}

const authenticate = (...args: ConstructorParameters<typeof Authentication>): RequestFilter => {
  const authentication = new Authentication(...args);
  return request => authentication.authenticate(request);
};

const impersonate =
  (impersonator: Impersonate): RequestFilter =>
  request => {
    if (request.headers === request.exchange.headers) return; // None of the headers is one for impersonation.
    return impersonator(request.user, request.headers, attributesOf(request.info)).then(found => {
      if (!found) return;
      request.user = found.user;
      request.audit?.impersonated(found.user, found.constraint);
    });
  };

/** Returns the attributes for authorization. hot: they are assigned one by one, since a spread is slow. */
export function attributesOf(info: RequestInfo): Attributes {
  if (!info.isResource) return { type: 'path', verb: info.verb, path: info.path };
  const { verb, group, version, resource, subresource, namespace, name, labelSelector, fieldSelector } = info;
  const out: ResourceAttributes = { type: 'resource', verb, group, version, resource, subresource, namespace, name };
  if (labelSelector !== undefined) out.labelSelector = labelSelector;
  if (fieldSelector !== undefined) out.fieldSelector = fieldSelector;
  return out;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type ResourceAttributes = Mutable<Extract<Attributes, { type: 'resource' }>>;

/** Throws or rejects with Forbidden unless the authorizer allows it. hot: returns no promise when the authorizer returns none. */
export function mustBeAllowed(authorizer: Authorizer, user: Identity, attributes: Attributes): Maybe<void> {
  const enforce = ({ allowed, reason }: Decision): void => {
    if (!allowed) throw refusal(user, attributes, reason);
  };
  return andThen(authorizer(user, attributes), enforce);
}

const authorize =
  (authorizer: Authorizer, observe: Observe): RequestFilter =>
  request => {
    const attributes = attributesOf(request.info);
    const began = performance.now();
    const observeResult = (result: AuthorizationResult): void =>
      observe?.authorized(result, (performance.now() - began) / 1000);
    const enforce = ({ allowed, reason }: Decision): void => {
      observeResult(allowed ? 'allowed' : 'no-opinion');
      request.annotate('authorization.k8s.io/decision', allowed ? 'allow' : 'forbid');
      request.annotate('authorization.k8s.io/reason', reason);
      if (!allowed) throw refusal(request.user, attributes, reason);
    };
    const fail = (error: unknown): never => {
      observeResult('error');
      throw error;
    };
    let decision: ReturnType<Authorizer>;
    try {
      decision = authorizer(request.user, attributes);
    } catch (error) {
      return fail(error);
    }
    return decision instanceof Promise ? decision.then(enforce, fail) : enforce(decision);
  };

/** Returns the filters in their order. Errors are handled around them (`serve.ts`); the request itself collects warnings. */
export function filters(deps: FilterDeps): readonly RequestFilter[] {
  return Object.freeze([
    auditId,
    info,
    deadline(deps.requestTimeoutMs),
    ...(deps.edge ?? []),
    authenticate(deps.authenticate, request => deps.audit?.refused(request), deps.observe),
    ...(deps.audit ? [deps.audit.begin] : []),
    impersonate(deps.impersonate),
    ...(deps.awaitBody ? [deps.awaitBody] : []),
    deps.limit,
    writeDeadline,
    authorize(deps.authorize, deps.observe),
    deps.route,
  ]);
}
