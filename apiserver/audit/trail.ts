/** Collects what is recorded of one request, and writes it as audit.k8s.io/v1 Events, one JSON line per stage. */
import { performance } from 'node:perf_hooks';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { formatMicroTime } from '../../lib/go/time.js';
import type { ObjectMeta, Status } from '../../apimachinery/interface.js';
import { jsonText, parseJson } from '../../lib/json/json.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { Request } from '../http/request.js';
import type { AuditTrail } from '../interface.js';
import { levels, type AuditScope, type Stage } from './policy.js';
import { sourceIPs } from './source-ips.js';

const maxUserAgent = 1024;

interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Identity['extra'];
}

function userInfo({ name, uid, groups, extra }: Identity): UserInfo {
  return {
    ...(name !== '' && { username: name }),
    ...(uid !== undefined && uid !== '' && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(extra && Object.keys(extra).length > 0 && { extra }),
  };
}

interface ObjectReference {
  resource?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiGroup?: string;
  apiVersion?: string;
  resourceVersion?: string;
  subresource?: string;
}

function referenceOf({ info }: Request): ObjectReference | undefined {
  if (!info.isResource) return undefined;
  const { resource, namespace, name, group, version, subresource } = info;
  return { resource, namespace, name, uid: '', apiGroup: group, apiVersion: version, resourceVersion: '', subresource };
}

const withoutEmpty = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, text]) => text !== '')) as Partial<T>;

/** Removes the managed fields of an object, of the items of a list, and of the rows of a Table. */
function dropManagedFields(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const { metadata, items, rows } = value as { metadata?: ObjectMeta; items?: unknown; rows?: unknown };
  if (typeof metadata === 'object') delete (metadata as { managedFields?: unknown }).managedFields;
  if (Array.isArray(items)) for (const item of items) dropManagedFields(item);
  if (Array.isArray(rows)) for (const row of rows as { object?: unknown }[]) dropManagedFields(row.object);
}

/** Replaces line ends, which are white space in JSON: in the log they would end the event, and the rest of the body could forge another one. */
const oneLine = (json: string): string => json.replace(/[\r\n]+/g, ' ').trimEnd();

/** Returns the text of a time in milliseconds of `performance.now()`. */
const timeText = (at: number): string => {
  const ms = performance.timeOrigin + at;
  const nanos = Math.floor(((ms % 1000) + 1000) % 1000 * 1e6); // prettier-ignore
  return formatMicroTime(Math.floor(ms), nanos);
};

export class Trail implements AuditTrail {
  readonly #request: Request;
  readonly #scope: AuditScope;
  readonly #emit: (line: string) => void;
  readonly #user: UserInfo;
  readonly #reference: ObjectReference | undefined;
  readonly #level: number;
  #impersonated: UserInfo | undefined;
  #constraint = '';
  /** The keys of the annotations. */
  #annotated: Set<string> | undefined;
  /** The annotations as JSON, without the braces. A webhook may return so many that they must not all be encoded at the end of the request. */
  #annotations = '';
  #requestObject: string | undefined;
  #responseObject: string | undefined;
  #status: Partial<Status> | undefined;
  #panicked = false;

  constructor(request: Request, scope: AuditScope, user: Identity | undefined, emit: (line: string) => void) {
    this.#request = request;
    this.#scope = scope;
    this.#emit = emit;
    this.#user = user ? userInfo(user) : {};
    this.#reference = referenceOf(request);
    this.#level = levels.indexOf(scope.level);
  }

  get wantsResponse(): boolean {
    return this.#level >= 3;
  }

  annotate(key: string, value: string): void {
    const annotated = (this.#annotated ??= new Set());
    if (annotated.has(key)) return;
    annotated.add(key);
    this.#annotations += `${this.#annotations === '' ? '' : ','}${JSON.stringify(key)}:${JSON.stringify(value)}`;
  }

  impersonated(user: Identity, constraint: string): void {
    this.#impersonated = userInfo(user);
    this.#constraint = constraint;
  }

  requestObject(object: object): void {
    const { metadata } = object as { metadata?: ObjectMeta };
    const reference = this.#reference;
    if (reference && metadata) {
      reference.namespace ||= metadata.namespace ?? '';
      reference.name ||= metadata.name ?? '';
      reference.uid ||= metadata.uid ?? '';
      reference.resourceVersion ||= metadata.resourceVersion ?? '';
    }
    if (this.#level >= 2) this.#requestObject = this.#text(jsonText(object));
  }

  requestPatch(json: () => string): void {
    if (this.#level >= 2) this.#requestObject = oneLine(json());
  }

  responseObject(json: string): void {
    if (this.#level >= 3) this.#responseObject = this.#text(json);
  }

  responseStatus({ status, message, reason, details, code }: Status): void {
    this.#status = {
      ...(status !== undefined && { status }),
      ...(message !== undefined && { message }),
      ...(reason !== undefined && { reason }),
      ...(details !== undefined && { details }),
      ...(code !== undefined && { code }),
    };
  }

  panicked(error: unknown): void {
    this.#panicked = true;
    const message = `APIServer panic'd: ${errorText(error)}`;
    this.#status = { status: 'Failure', message, reason: 'InternalError', code: 500 };
  }

  /** Sets the status code of the answer. */
  setCode(code: number): void {
    this.#status = { ...this.#status, code };
  }

  /** Records why authentication failed. */
  authenticationFailed(message: string): void {
    this.#status = { message };
  }

  end(): void {
    this.#status ??= { status: 'Success', message: 'Connection closed early', code: 200 };
    this.stage(this.#panicked ? 'Panic' : 'ResponseComplete');
  }

  stage(stage: Stage): void {
    if (this.#scope.omitStages.has(stage)) return;
    const request = this.#request;
    const { exchange, received, info, auditId } = request;
    const agent = request.header('user-agent') ?? '';
    const head = {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: this.#scope.level,
      auditID: auditId,
      stage,
      requestURI: exchange.query === '' ? exchange.path : `${exchange.path}?${exchange.query}`,
      verb: info.verb,
      user: this.#user,
      ...(this.#impersonated && { impersonatedUser: this.#impersonated }),
      ...(this.#constraint !== '' && { authenticationMetadata: { impersonationConstraint: this.#constraint } }),
      sourceIPs: sourceIPs(request.header('x-forwarded-for'), request.header('x-real-ip'), exchange.peer.address),
      ...(agent !== '' && {
        userAgent: agent.length > maxUserAgent ? `${agent.slice(0, maxUserAgent)}...TRUNCATED` : agent,
      }),
      ...(this.#reference && { objectRef: withoutEmpty(this.#reference) }),
      ...(this.#status && { responseStatus: { metadata: {}, ...this.#status } }),
    };
    const times = {
      requestReceivedTimestamp: timeText(received),
      stageTimestamp: timeText(stage === 'RequestReceived' ? received : performance.now()),
    };
    const annotations = this.#annotations === '' ? '' : `,"annotations":{${this.#annotations}}`;
    const objects =
      (this.#requestObject === undefined ? '' : `,"requestObject":${this.#requestObject}`) +
      (this.#responseObject === undefined ? '' : `,"responseObject":${this.#responseObject}`);
    this.#emit(`${JSON.stringify(head).slice(0, -1)}${objects},${JSON.stringify(times).slice(1, -1)}${annotations}}`);
  }

  /** Returns JSON as one line, without the managed fields if the policy omits them. */
  #text(json: string): string {
    if (!this.#scope.omitManagedFields) return oneLine(json);
    const value = parseJson(json);
    dropManagedFields(value);
    return jsonText(value);
  }
}
