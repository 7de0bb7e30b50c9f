/** Reads and validates the parameters of requests as kube-apiserver does. */
import type { Fault } from '../../apimachinery/interface.js';
import { forbiddenField, invalidValue, notSupported, required } from '../../apimachinery/errors/faults.js';
import { clampedInteger } from '../../lib/go/clamped-integer.js';
import { goQuote } from '../../lib/go/go-text.js';
import { type Int64, int64Of, isInt64 } from '../../lib/json/json.js';
import { memoizeByText } from '../../lib/collections/memoize-by-text.js';
import { badRequest, invalid } from '../../apimachinery/errors/status.js';
import type { DeleteOptions, ListQuery, WatchQuery } from '../../client/interface.js';
import type { FieldValidation } from '../../registry/pipeline/interface.js';
import { fieldManagerFaults } from '../../registry/strategy/metadata.js';
import { isTrueParameter } from '../http/request-info.js';
import type { Query } from '../interface.js';

const throwIfInvalid = (kind: string, faults: readonly Fault[]): void => {
  if (faults.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', faults);
};

/** Parses an integer as strconv.ParseInt(text, 10, 64). Throws 400 with the message of the parameter codec. */
export function parseInteger(text: string | undefined): Int64 | undefined {
  if (text === undefined) return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${goQuote(text)}: invalid syntax`);
  const value = int64Of(clampedInteger(text));
  if (!isInt64(value)) throw badRequest(`strconv.ParseInt: parsing ${goQuote(text)}: value out of range`);
  return value;
}

// --- reading --------------------------------------------------------------------------------------------------

/** Returns the resourceVersion of a GET. Throws 400 for the parameter `export`. */
export function getOptions(query: Query): string | undefined {
  if (query.empty) return undefined;
  if (query.get('export') !== undefined && isTrueParameter(query.get('export')))
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  return query.get('resourceVersion');
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Returns the common parameters of lists and watches as they were sent: the pipeline validates them, for all its callers. */
function selection(query: Query, namespace: string): Mutable<WatchQuery> {
  const out: Mutable<WatchQuery> = {};
  if (namespace !== '') out.namespace = namespace;
  const texts = ['labelSelector', 'fieldSelector', 'resourceVersion', 'continue'] as const;
  for (const name of texts) {
    const value = query.get(name);
    if (value !== undefined && value !== '') out[name] = value;
  }
  const match = query.get('resourceVersionMatch');
  if (match !== undefined && match !== '') out.resourceVersionMatch = match as 'Exact';
  const limit = parseInteger(query.get('limit'));
  if (limit !== undefined && limit > 0) out.limit = Number(limit);
  const timeout = parseInteger(query.get('timeoutSeconds'));
  if (timeout !== undefined) out.timeoutSeconds = Number(timeout);
  const initial = query.get('sendInitialEvents');
  if (initial !== undefined) out.sendInitialEvents = isTrueParameter(initial);
  return out;
}

/** Returns the parameters of a list. `namespace`: '' for all. Throws 400 for a `limit` that is no number. */
export function listOptions(query: Query, namespace: string): ListQuery {
  if (query.empty) return namespace === '' ? {} : { namespace };
  return selection(query, namespace);
}

/** Returns the parameters of a watch, as `listOptions` does. */
export function watchOptions(query: Query, namespace: string): WatchQuery {
  const out = selection(query, namespace);
  if (isTrueParameter(query.get('allowWatchBookmarks'))) out.allowWatchBookmarks = true;
  return out;
}

// --- writing --------------------------------------------------------------------------------------------------

export interface RequestWriteOptions {
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly dryRun: boolean;
  readonly force: boolean | undefined;
  /** The options as an API object for admission: `{ kind: 'CreateOptions', ... }`. */
  readonly object: Readonly<Record<string, unknown>>;
}

const maxManager = 128;
/** Matches characters that Go's unicode.IsPrint refuses. */
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;
const validations: readonly string[] = ['', 'Ignore', 'Strict', 'Warn'];

function dryRunFaults(values: readonly string[]): Fault[] {
  if (values.every(value => value === 'All')) return [];
  return [notSupported('dryRun', values, ['All'])];
}

const managerIn = memoizeByText(userAgent => {
  let manager = '';
  for (const char of userAgent.split('/', 1)[0] ?? '') {
    if (unprintable.test(char)) continue;
    if (Buffer.byteLength(manager) + Buffer.byteLength(char) > maxManager) break;
    manager += char;
  }
  return manager;
});

/** hot: returns the field manager for a User-Agent. as apiserver/pkg/endpoints/handlers/create.go prefixFromUserAgent */
export const managerOf = (userAgent: string | undefined): string => managerIn(userAgent ?? '');

/** Reads and validates the options of a write. `apply`: whether a patch is an apply; undefined for create and update. Throws an Invalid Status. */
export function writeOptions(
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  query: Query,
  userAgent: string | undefined,
  apply?: boolean,
): RequestWriteOptions {
  const manager = query.get('fieldManager') ?? '';
  const validation = query.get('fieldValidation') ?? '';
  const dryRun = query.all('dryRun');
  const forced = kind === 'PatchOptions' ? query.get('force') : undefined;
  const faults: Fault[] = [];
  if (apply === true && manager === '') faults.push(required('fieldManager', 'is required for apply patch'));
  if (apply === false && forced !== undefined)
    faults.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  faults.push(...fieldManagerFaults(manager, 'fieldManager'), ...dryRunFaults(dryRun));
  if (!validations.includes(validation)) faults.push(notSupported('fieldValidation', validation, validations));
  throwIfInvalid(kind, faults);
  const force = forced === undefined ? undefined : isTrueParameter(forced);
  return {
    fieldManager: manager === '' ? managerOf(userAgent) : manager,
    fieldValidation: validation === '' ? 'Warn' : (validation as FieldValidation),
    dryRun: dryRun.length > 0,
    force,
    object: {
      kind,
      apiVersion: 'meta.k8s.io/v1',
      ...(dryRun.length > 0 ? { dryRun } : {}),
      ...(force === undefined ? {} : { force }),
      ...(manager === '' ? {} : { fieldManager: manager }),
      ...(validation === '' ? {} : { fieldValidation: validation }),
    },
  };
}

// --- deleting -------------------------------------------------------------------------------------------------

export interface RemovalOptions extends DeleteOptions {
  readonly dryRun: boolean;
  /** The client sent `orphanDependents: false`. */
  readonly cascades: boolean;
  readonly object: Readonly<Record<string, unknown>>;
}

/** Returns the delete options of a query string, in the form of their body. */
export function removalFromQuery(query: Query): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  const grace = parseInteger(query.get('gracePeriodSeconds'));
  if (grace !== undefined) out.gracePeriodSeconds = grace;
  const orphan = query.get('orphanDependents');
  if (orphan !== undefined) out.orphanDependents = isTrueParameter(orphan);
  const policy = query.get('propagationPolicy');
  if (policy !== undefined) out.propagationPolicy = policy;
  const dryRun = query.all('dryRun');
  if (dryRun.length > 0) out.dryRun = dryRun;
  return out;
}

const policies = ['Foreground', 'Background', 'Orphan'] as const;

/** Validates the decoded body (or query) of a deletion. Throws an Invalid Status. as apimachinery/pkg/apis/meta/v1/validation ValidateDeleteOptions */
export function removalOptions(sent: Readonly<Record<string, unknown>>): RemovalOptions {
  // The feature gate AllowUnsafeMalformedObjectDeletion is off, so the option is ignored.
  const { ignoreStoreReadErrorWithClusterBreakingPotential: _ignored, ...given } = sent;
  const orphan = given.orphanDependents as boolean | null | undefined;
  const policy = given.propagationPolicy as string | null | undefined;
  const dryRun = (given.dryRun as readonly string[] | null | undefined) ?? [];
  const faults: Fault[] = [];
  if (orphan != null && policy != null)
    faults.push(
      invalidValue('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'),
    );
  const validPolicy = policies.find(p => p === policy);
  if (policy != null && !validPolicy) faults.push(notSupported('propagationPolicy', policy, [...policies, 'nil']));
  faults.push(...dryRunFaults(dryRun));
  throwIfInvalid('DeleteOptions', faults);
  const propagation = validPolicy ?? (orphan == null ? undefined : orphan ? 'Orphan' : 'Background');
  const { gracePeriodSeconds, preconditions } = given as Pick<DeleteOptions, 'gracePeriodSeconds' | 'preconditions'>;
  return {
    ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
    ...(gracePeriodSeconds == null ? {} : { gracePeriodSeconds }),
    ...(preconditions == null ? {} : { preconditions }),
    dryRun: dryRun.length > 0,
    cascades: orphan === false,
    object: { ...given, kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' },
  };
}
