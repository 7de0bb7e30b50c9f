/** What every request goes through before it reaches a handler, in this order (SEC-001). */
import { randomUUID } from 'node:crypto';
import type { Attributes, Authenticator, Authorizer } from '../../authn/interface.js';
import { badRequest, forbidden, unauthorized } from '../../openapi/meta/status.js';
import type { Identity } from '../../registry/interface.js';
import type { RequestInfo } from '../interface.js';
import { TextAnswer } from './answer.js';
import { parseDuration } from './duration.js';
import { forbiddenText } from './forbidden.js';
import { isLongRunning, requestInfo, RequestInfoError } from './request-info.js';
import type { Request } from './request.js';

/** One step. It may refuse by throwing, or answer by itself; then the steps after it do not run. */
export type Filter = (request: Request) => Promise<void> | void;

/** Who a request speaks for when it asks to be somebody else; undefined: it does not ask. Rejects with Forbidden. */
export type Impersonator = (
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  user: Identity,
) => Promise<Identity | undefined> | Identity | undefined;

export interface FilterDeps {
  readonly authenticate: Authenticator;
  readonly impersonate: Impersonator;
  readonly authorize: Authorizer;
  readonly route: Filter;
  /** Milliseconds that a request without `timeout` may take. */
  readonly requestTimeout: number;
}

const auditId: Filter = request => {
  request.auditId = request.header('audit-id') ?? randomUUID();
};

const info: Filter = request => {
  const { method, path } = request.exchange;
  try {
    request.info = requestInfo(method, path, request.query);
  } catch (error) {
    if (!(error instanceof RequestInfoError)) throw error;
    throw new TextAnswer(500, `Internal Server Error: ${JSON.stringify(path)}: ${error.message}`);
  }
};

/** HTTP-032, HTTP-071: `?timeout=` shortens the time that a request may take, and never lengthens it. */
const deadline =
  (most: number): Filter =>
  request => {
    if (isLongRunning(request.info)) return;
    const wanted = request.query.get('timeout') ?? '';
    let milliseconds = most;
    if (wanted !== '') {
      const parsed = parseDuration(wanted);
      if (typeof parsed === 'string') throw badRequest(`invalid timeout specified in the request URL - ${parsed}`);
      if (parsed > 0 && parsed < most) milliseconds = parsed;
    }
    request.deadline = request.received + milliseconds;
  };

const authenticate = (authenticator: Authenticator): Filter => {
  const accept = (request: Request, user: Identity | undefined): void => {
    if (!user) throw unauthorized();
    request.user = user;
  };
  return request => {
    const { headers, peer } = request.exchange;
    const user = authenticator({ headers, certificate: peer.certificate });
    return user instanceof Promise ? user.then(found => accept(request, found)) : accept(request, user);
  };
};

const impersonate =
  (impersonator: Impersonator): Filter =>
  request => {
    const user = impersonator(request.exchange.headers, request.user);
    if (user === undefined) return;
    return Promise.resolve(user).then(found => {
      if (found) request.user = found;
    });
  };

export function attributesOf(info: RequestInfo): Attributes {
  if (!info.isResource) return { type: 'path', verb: info.verb, path: info.path };
  const { verb, group, version, resource, subresource, namespace, name, labelSelector, fieldSelector } = info;
  return {
    type: 'resource',
    verb,
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

/** SEC-021: probes ask without credentials. */
const alwaysAllowed = new Set(['/healthz', '/livez', '/readyz']);

/** Rejects with Forbidden (HTTP-103) unless the user may. */
export async function mustBeAllowed(authorizer: Authorizer, user: Identity, attributes: Attributes): Promise<void> {
  const { allowed, reason } = await authorizer(user, attributes);
  if (allowed) return;
  const text = forbiddenText(user, attributes);
  const resource = attributes.type === 'resource' ? attributes : { group: '', resource: '', name: '' };
  throw forbidden(resource, resource.name, reason === '' ? text : `${text}: ${reason}`);
}

const authorize =
  (authorizer: Authorizer): Filter =>
  request => {
    if (!request.info.isResource && alwaysAllowed.has(request.info.path)) return;
    const attributes = attributesOf(request.info);
    return mustBeAllowed(authorizer, request.user, attributes);
  };

/** The list. Panic recovery is around it (`serve.ts`); warnings are collected by the request itself. */
export function filters(deps: FilterDeps): readonly Filter[] {
  return Object.freeze([
    auditId,
    info,
    deadline(deps.requestTimeout),
    authenticate(deps.authenticate),
    impersonate(deps.impersonate),
    authorize(deps.authorize),
    deps.route,
  ]);
}
