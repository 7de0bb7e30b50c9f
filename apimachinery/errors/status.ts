/**
 * The catalogue of Status errors, with kube-apiserver's exact texts, reasons, codes and details.
 * Every error that a client can cause is one of these; any other Error is a bug.
 */
import type { Fault, KubeObject, Status, StatusCause } from '../interface.js';
import { errorText } from './error-text.js';
import { goQuote } from '../../lib/go/go-text.js';
import { maxStatusMessageLength, maxNameLength, maxFaults, maxFaultCharacters, shortened } from './limits.js';

/** An error that is sent to the client as its Status. */
export class StatusError extends Error {
  readonly status: Status;

  constructor(status: Status, options?: { cause?: unknown }) {
    super(status.message ?? '', options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StatusError';
    this.status = status;
  }

  /** The HTTP code. */
  get code(): number {
    return this.status.code ?? 500;
  }

  get reason(): string {
    return this.status.reason ?? '';
  }
}

/** `resource` is the lower-case plural, or '' for a request without a resource. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

type Details = NonNullable<Status['details']>;

/** Returns a resource or kind with its group as in error texts: `configmaps`, `deployments.apps`. */
export function qualified(resourceOrKind: string, group: string): string {
  return group === '' ? resourceOrKind : `${resourceOrKind}.${group}`;
}

const grText = (gr: GroupResource): string => qualified(gr.resource, gr.group);

/** Returns details in the order in which Go writes them, without empty values. */
function details(of: Details): Details {
  const out: Details = {};
  if (of.name) out.name = shortened(of.name, maxNameLength);
  if (of.group) out.group = of.group;
  if (of.kind) out.kind = of.kind;
  if (of.uid) out.uid = of.uid;
  if (of.causes && of.causes.length > 0) out.causes = of.causes;
  if (of.retryAfterSeconds) out.retryAfterSeconds = of.retryAfterSeconds;
  return out;
}

const grDetails = (gr: GroupResource, name: string, more: Details = {}): Details =>
  details({ name, group: gr.group, kind: gr.resource, ...more });

/** Returns an error with a text that is made elsewhere. `reason`: '' for none. */
export function failure(code: number, reason: string, message: string, of?: Details): StatusError {
  const status: Status = {
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' },
    message: shortened(message, maxStatusMessageLength),
  };
  if (reason !== '') status.reason = reason;
  if (of) status.details = of;
  status.code = code;
  return new StatusError(status);
}

// --- absent, present, changed ---------------------------------------------------------------------------------

/** Returns 404 `configmaps "x" not found`. The name is '' for lists. as apimachinery/pkg/api/errors NewNotFound */
export function notFound(gr: GroupResource, name: string): StatusError {
  return failure(404, 'NotFound', `${grText(gr)} ${goQuote(name)} not found`, grDetails(gr, name));
}

/** Returns 404 for a path that is not served. */
export function pathNotFound(): StatusError {
  return failure(404, 'NotFound', 'the server could not find the requested resource', {});
}

/** Returns 409: an object with this name exists. as apimachinery/pkg/api/errors NewAlreadyExists */
export function alreadyExists(gr: GroupResource, name: string): StatusError {
  return failure(409, 'AlreadyExists', `${grText(gr)} ${goQuote(name)} already exists`, grDetails(gr, name));
}

/** Returns 409: an object with this name exists, and is terminating. as apiserver/pkg/registry/generic/registry Store.Create */
export function alreadyExistsDeleting(gr: GroupResource, name: string): StatusError {
  const text = `object is being deleted: ${grText(gr)} ${goQuote(name)} already exists`;
  return failure(409, 'AlreadyExists', text, grDetails(gr, name));
}

/** Returns 409: all names tried for generateName exist. as apimachinery/pkg/api/errors NewGenerateNameConflict */
export function generateNameConflict(gr: GroupResource, name: string, retryAfterSeconds = 1): StatusError {
  const text = `${grText(gr)} ${goQuote(name)} already exists, the server was not able to generate a unique name for the object`;
  return failure(409, 'AlreadyExists', text, grDetails(gr, name, { retryAfterSeconds }));
}

/** The text for a write with a stale resourceVersion. as apiserver/pkg/registry/generic/registry OptimisticLockErrorMsg */
const optimisticLockText =
  'the object has been modified; please apply your changes to the latest version and try again';

/**
 * Returns 409: the object has changed, or another object has its name now. For the precondition of a DELETE, `resource` is the Kind and
 * `group` is '', as upstream.
 * as apimachinery/pkg/api/errors NewConflict
 */
export function conflict(gr: GroupResource, name: string, text = optimisticLockText): StatusError {
  const message = `Operation cannot be fulfilled on ${grText(gr)} ${goQuote(name)}: ${text}`;
  return failure(409, 'Conflict', message, grDetails(gr, name));
}

/**
 * Returns the reason text of a PUT or PATCH with the wrong uid; `key` is the storage key with its prefix.
 * as apiserver/pkg/storage Preconditions.Check
 */
export function uidPreconditionText(key: string, expected: string, found: string): string {
  const more = `Precondition failed: UID in precondition: ${expected}, UID in object meta: ${found}`;
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${more}`;
}

/** Returns the reason text of a DELETE with the wrong uid. as apiserver/pkg/registry/rest BeforeDelete */
export function deleteUidText(expected: string, found: string): string {
  return `the UID in the precondition (${expected}) does not match the UID in record (${found}). The object might have been deleted and then recreated`;
}

/** Returns the reason text of a DELETE with the wrong resourceVersion. as apiserver/pkg/registry/rest BeforeDelete */
export function deleteVersionText(expected: string, found: string): string {
  return `the ResourceVersion in the precondition (${expected}) does not match the ResourceVersion in record (${found}). The object might have been modified`;
}

// --- invalid input --------------------------------------------------------------------------------------------

/** Returns the first faults, at least one, whose texts are within the limits of `limits.ts`. */
function listedFaults(faults: readonly Fault[]): readonly Fault[] {
  let left = maxFaultCharacters;
  let count = 0;
  for (const { path, message } of faults) {
    if (count === maxFaults || (left < 0 && count > 0)) return faults.slice(0, count);
    left -= path.length + message.length;
    count++;
  }
  return faults;
}

/** "At least", since validation stops after enough faults (`isEnough`). */
const moreText = (count: number): string => `and at least ${count} more`;

/** Returns `path: message` of each fault without duplicates, in brackets if there are several. A last text counts those left out. */
export function faultsText(faults: readonly Fault[]): string {
  const listed = listedFaults(faults);
  const texts = new Set(listed.map(f => `${f.path}: ${f.message}`));
  if (listed.length < faults.length) texts.add(moreText(faults.length - listed.length));
  const joined = [...texts].join(', ');
  return texts.size > 1 ? `[${joined}]` : joined;
}

/** Returns a cause for each fault. A last one counts those left out. */
export function causesOf(faults: readonly Fault[]): StatusCause[] {
  const listed = listedFaults(faults);
  const causes: StatusCause[] = listed.map(f => ({ reason: f.reason, message: f.message, field: f.path }));
  if (listed.length < faults.length) causes.push({ message: moreText(faults.length - listed.length) });
  return causes;
}

/**
 * Returns 422 `Kind.group "name" is invalid: [f1: .., f2: ..]`. The causes contain duplicate faults, the text does not.
 * as apimachinery/pkg/api/errors NewInvalid
 */
export function invalid(gk: GroupKind, name: string, faults: readonly Fault[]): StatusError {
  const what = `${qualified(gk.kind, gk.group)} ${goQuote(shortened(name, maxNameLength))} is invalid`;
  const message = faults.length === 0 ? what : `${what}: ${faultsText(faults)}`;
  const of = details({ name, group: gk.group, kind: gk.kind, causes: causesOf(faults) });
  return failure(422, 'Invalid', message, of);
}

/** Returns 400, without details. as apimachinery/pkg/api/errors NewBadRequest */
export function badRequest(text: string): StatusError {
  return failure(400, 'BadRequest', text);
}

/** Returns 422 for a JSON patch that cannot be applied. The text has no reason, as upstream. */
export function patchRejected(): StatusError {
  return failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

/** Returns 422 for a patched object that cannot be decoded. `value` is the whole patched object as text. */
export function patchedUndecodable(value: string, text: string): StatusError {
  const message = `Invalid value: ${goQuote(shortened(value))}: ${text}`;
  return invalid({ group: '', kind: '' }, '', [{ reason: 'FieldValueInvalid', path: 'patch', message }]);
}

/** Returns 500 without reason or details, as upstream for an error that is not a Status. */
export function plainError(text: string, code = 500): StatusError {
  return failure(code, '', text);
}

/** Returns 500: a new object has a resourceVersion. as apiserver/pkg/storage ErrResourceVersionSetOnCreate */
export function resourceVersionOnCreate(): StatusError {
  return plainError('resourceVersion should not be set on objects to be created');
}

// --- authentication and authorization -------------------------------------------------------------------------

/** Returns 401. as apimachinery/pkg/api/errors NewUnauthorized */
export function unauthorized(text = 'Unauthorized'): StatusError {
  return failure(401, 'Unauthorized', text);
}

/** Returns 403. With an empty group and resource the text is `forbidden: ...`. as apimachinery/pkg/api/errors NewForbidden */
export function forbidden(gr: GroupResource, name: string, text: string, causes: StatusCause[] = []): StatusError {
  const what = gr.group === '' && gr.resource === '' ? '' : name === '' ? grText(gr) : `${grText(gr)} ${goQuote(name)}`;
  const message = what === '' ? `forbidden: ${text}` : `${what} is forbidden: ${text}`;
  return failure(403, 'Forbidden', message, grDetails(gr, name, { causes }));
}

/** Returns 403: the namespace is terminating. `gr` and `name` are those of the object that cannot be created. */
export function namespaceTerminating(gr: GroupResource, name: string, namespace: string): StatusError {
  const text = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const message = `namespace ${namespace} is being terminated`;
  return forbidden(gr, name, text, [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }]);
}

// --- methods and media types ----------------------------------------------------------------------------------

/** Returns 405 for a path that is served, but not with this method. */
export function methodNotAllowed(): StatusError {
  return failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

/** Returns 405 for a resource without the verb: `delete is not supported on resources of kind "pods"`. */
export function methodNotSupported(gr: GroupResource, verb: string): StatusError {
  const text = `${verb} is not supported on resources of kind ${goQuote(grText(gr))}`;
  return failure(405, 'MethodNotAllowed', text, grDetails(gr, ''));
}

/** Returns 406. `target` (for instance `meta.k8s.io/v1, Kind=Table`) is the type of a conversion that is not available. */
export function notAcceptable(accepted: readonly string[], target?: string): StatusError {
  const when = target === undefined ? '' : ` when converting to ${target}`;
  return failure(406, 'NotAcceptable', `only the following media types are accepted${when}: ${accepted.join(', ')}`);
}

/** Returns 415. */
export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const list = accepted.join(', ');
  const text = `the body of the request was in an unknown format - accepted media types include: ${list}`;
  return failure(415, 'UnsupportedMediaType', text);
}

/** Returns 413 `Request entity too large: ...`. `text`: for instance `limit is 3145728`. */
export function tooLarge(text: string): StatusError {
  return failure(413, 'RequestEntityTooLarge', `Request entity too large: ${text}`);
}

// --- timeouts and overload ------------------------------------------------------------------------------------

/** Returns 429 with this text. */
export function tooManyRequests(text: string, retryAfterSeconds: number, causes: StatusCause[] = []): StatusError {
  return failure(429, 'TooManyRequests', text, details({ causes, retryAfterSeconds }));
}

/** Returns 504 `Timeout: ...`. */
export function timeout(text: string, retryAfterSeconds = 0): StatusError {
  return failure(504, 'Timeout', `Timeout: ${text}`, details({ retryAfterSeconds }));
}

/**
 * Returns 504: the server has not reached the requested revision.
 * as apiserver/pkg/storage NewTooLargeResourceVersionError
 */
export function tooLargeResourceVersion(requested: number | string, current: number | string): StatusError {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  const text = `Timeout: Too large resource version: ${BigInt(requested)}, current: ${current}`;
  return failure(504, 'Timeout', text, details({ causes, retryAfterSeconds: 1 }));
}

/** Returns 500 ServerTimeout: the store cannot be reached. `operation` is the verb. as apimachinery/pkg/api/errors NewServerTimeout */
export function serverTimeout(gr: GroupResource, operation: string, retryAfterSeconds = 2): StatusError {
  const text = `The ${operation} operation against ${grText(gr)} could not be completed at this time, please try again.`;
  return failure(500, 'ServerTimeout', text, grDetails(gr, operation, { retryAfterSeconds }));
}

/** Returns 503. */
export function serviceUnavailable(text: string): StatusError {
  return failure(503, 'ServiceUnavailable', text);
}

/** Returns 500 `Internal error occurred: ...`. as apimachinery/pkg/api/errors NewInternalError */
export function internal(text: string): StatusError {
  return failure(500, 'InternalError', `Internal error occurred: ${text}`, { causes: [{ message: text }] });
}

/** Returns the Status that is sent for a thrown value: 500 with its text if it is not a StatusError, as upstream. */
export function statusOf(error: unknown): Status {
  if (error instanceof StatusError) return error.status;
  return plainError(errorText(error)).status;
}

// --- gone -----------------------------------------------------------------------------------------------------

/** Returns 410 Expired with this text. */
export function expired(text: string): StatusError {
  return failure(410, 'Expired', text);
}

/** Returns 410 Gone with this text. */
export function gone(text: string): StatusError {
  return failure(410, 'Gone', text);
}

/** Returns 410 for a list at a revision that was compacted. */
export function listExpired(): StatusError {
  return expired('The resourceVersion for the provided list is too old.');
}

/** Returns 410 for a watch from a revision before the history of the cache; `oldest` is the oldest revision that can be watched from. */
export function tooOldResourceVersion(requested: number | string, oldest?: number | string): StatusError {
  return expired(`too old resource version: ${requested}${oldest === undefined ? '' : ` (${oldest})`}`);
}

/** Returns 410 for a continue token whose revision was compacted. `freshToken` continues the list at the current revision. */
export function continueExpired(freshToken?: string): StatusError {
  const head =
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter';
  if (freshToken === undefined) return expired(`${head}.`);
  const tail =
    ', or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
  const error = expired(head + tail);
  error.status.metadata = { continue: freshToken };
  return error;
}

// --- success --------------------------------------------------------------------------------------------------

/** Returns the Status of a successful deletion. */
export function success(gr: GroupResource, name: string, uid?: string): Status & KubeObject {
  const of = grDetails(gr, name, uid === undefined ? {} : { uid });
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details: of };
}

// --- tests of errors ------------------------------------------------------------------------------------------

/** Returns whether an error is a StatusError with this reason: `hasReason(error, 'NotFound')`. */
export function hasReason(error: unknown, reason: string): error is StatusError {
  return error instanceof StatusError && error.status.reason === reason;
}

/** Reports whether an answer is a failure with this reason, whatever its code. as apimachinery/pkg/api/errors IsNotFound */
export const isNotFound = (error: unknown): error is StatusError => hasReason(error, 'NotFound');
/** Reports whether a create has failed since the name is taken. as apimachinery/pkg/api/errors IsAlreadyExists */
export const isAlreadyExists = (error: unknown): error is StatusError => hasReason(error, 'AlreadyExists');
/** Reports whether the server wants the request later. as apimachinery/pkg/api/errors IsTooManyRequests */
export const isTooManyRequests = (error: unknown): error is StatusError => hasReason(error, 'TooManyRequests');
/** Reports whether the object has changed since it was read, or another manager owns its fields. as apimachinery/pkg/api/errors IsConflict */
export const isConflict = (error: unknown): error is StatusError => hasReason(error, 'Conflict');
