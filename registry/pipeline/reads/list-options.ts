/** Validates and interprets the parameters of lists and watches. */
import type { Fault } from '../../../apimachinery/interface.js';
import { forbiddenField, invalidValue, notSupported } from '../../../apimachinery/errors/faults.js';
import { parseResourceVersion, uintError } from '../../../apimachinery/meta/resource-version.js';
import { badRequest, faultsText, invalid, type StatusError } from '../../../apimachinery/errors/status.js';
import type { Revision } from '../../../storage/interface.js';
import type { ListQuery, WatchQuery } from '../../../client/interface.js';
import { type ContinueToken, decodeContinue } from './continue-token.js';

const match = 'resourceVersionMatch';

/** Throws 422 `ListOptions.meta.k8s.io "" is invalid`. */
function refuse(faults: readonly Fault[]): void {
  if (faults.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', faults);
}

/** Throws Invalid for options of a list that do not fit together. as apimachinery/pkg/apis/meta/internalversion/validation ValidateListOptions */
export function checkListOptions(query: WatchQuery): void {
  const faults: Fault[] = [];
  const requested = query.resourceVersionMatch as string | undefined;
  if (requested) {
    if (!query.resourceVersion)
      faults.push(forbiddenField(match, `${match} is forbidden unless resourceVersion is provided`));
    if (query.continue) faults.push(forbiddenField(match, `${match} is forbidden when continue is provided`));
    if (requested !== 'Exact' && requested !== 'NotOlderThan')
      faults.push(notSupported(match, requested, ['Exact', 'NotOlderThan', '']));
    if (requested === 'Exact' && query.resourceVersion === '0')
      faults.push(forbiddenField(match, `${match} "exact" is forbidden for resourceVersion "0"`));
  }
  if (query.sendInitialEvents !== undefined)
    faults.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  refuse(faults);
}

/** Throws Invalid for options of a watch that do not fit together. as apimachinery/pkg/apis/meta/internalversion/validation validateWatchOptions */
export function checkWatch(query: WatchQuery): void {
  const faults: Fault[] = [];
  const requested = query.resourceVersionMatch as string | undefined;
  if (query.sendInitialEvents !== undefined && requested !== 'NotOlderThan')
    faults.push(forbiddenField(match, `sendInitialEvents requires setting ${match} to NotOlderThan`));
  if (requested) {
    if (query.sendInitialEvents === undefined)
      faults.push(forbiddenField(match, `${match} is forbidden for watch unless sendInitialEvents is provided`));
    if (requested !== 'NotOlderThan') faults.push(notSupported(match, requested, ['NotOlderThan']));
    if (query.continue) faults.push(forbiddenField(match, `${match} is forbidden when continue is provided`));
  }
  refuse(faults);
}

/** The state of the store that a list returns. */
export type ListState =
  /** 'newest' is the newest revision; 'any' is the revision of the cache. */
  | { readonly type: 'newest' | 'any' }
  | { readonly type: 'notBefore' | 'exact'; readonly revision: Revision }
  | { readonly type: 'rest'; readonly token: ContinueToken };

export interface ListPlan {
  readonly state: ListState;
  /** 0 for no limit. */
  readonly limit: number;
}

/** Parses the resourceVersion of a GET; undefined for the newest revision. Throws 500 for text that is not a number, as upstream does. */
export function readVersion(text: string | undefined): Revision | undefined {
  return text ? (parseResourceVersion(text) as Revision) : undefined;
}

/** Returns the error of a list whose resourceVersion is not a number: 400. */
export const invalidListVersion = (text: string): StatusError =>
  badRequest(`invalid resource version: ${faultsText([invalidValue('resourceVersion', text, uintError(text) ?? '')])}`);

/** Returns the plan of a list, whose query must have passed `checkListOptions`. Throws 400 for an invalid resourceVersion or token. */
export function planList(query: ListQuery): ListPlan {
  const { resourceVersion = '', limit = 0 } = query;
  if (query.continue) {
    const token = decodeContinue(query.continue);
    if (resourceVersion !== '' && resourceVersion !== '0')
      throw badRequest('specifying resource version is not allowed when using continue');
    return { state: { type: 'rest', token }, limit };
  }
  if (resourceVersion === '') return { state: { type: 'newest' }, limit };
  if (uintError(resourceVersion) !== undefined) throw invalidListVersion(resourceVersion);
  const revision = Number(resourceVersion) as Revision;
  // A list of any state has no limit, since a token needs a certain revision.
  if (revision === 0) return { state: { type: 'any' }, limit: 0 };
  const exact = query.resourceVersionMatch === 'Exact' || (query.resourceVersionMatch === undefined && limit > 0);
  return { state: { type: exact ? 'exact' : 'notBefore', revision }, limit };
}

export interface WatchPlan {
  /** If set, the watch begins with the current objects as ADDED, at a revision not before this one; undefined for the newest. */
  readonly initial: { readonly notBefore: Revision | undefined } | undefined;
  /** Without initial events, the watch returns the changes after this revision; undefined for the newest. */
  readonly from: Revision | undefined;
}

/** Returns the plan of a watch, whose query must have passed `checkWatch`. */
// as apimachinery/pkg/apis/meta/internalversion SetListOptionsDefaults
export function planWatch(query: WatchQuery): WatchPlan {
  const legacy = query.sendInitialEvents === undefined && !query.resourceVersionMatch;
  const { resourceVersion = '' } = query;
  const revision = readVersion(resourceVersion);
  const start = resourceVersion === '' || resourceVersion === '0';
  if (legacy ? start : query.sendInitialEvents) return { initial: { notBefore: revision }, from: undefined };
  return { initial: undefined, from: start ? undefined : revision };
}
