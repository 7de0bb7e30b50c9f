/** Validates conditions of certificate signing requests, and who may change them. */
import type { Fault } from '../../../apimachinery/interface.js';
import {
  child,
  duplicate,
  forbiddenField,
  index,
  invalidValue,
  notSupported,
  required,
} from '../../../apimachinery/errors/faults.js';
import { goQuote } from '../../../lib/go/go-text.js';
import { formatTime } from '../../../lib/go/time.js';
import type { CertificateSigningRequest } from '../../../api/kubernetes/certificates.js';

type Condition = NonNullable<NonNullable<CertificateSigningRequest['status']>['conditions']>[number];

const path = 'status.conditions';
const lasting = ['Approved', 'Denied', 'Failed'];

/** Returns the conditions; none before the request is approved, denied or failed. */
export const conditionsOf = (csr: CertificateSigningRequest): readonly Condition[] => csr.status?.conditions ?? [];

const ofType = (csr: CertificateSigningRequest, type: string): readonly Condition[] =>
  conditionsOf(csr).filter(condition => condition.type === type);

const has = (csr: CertificateSigningRequest | undefined, type: string): boolean =>
  csr !== undefined && ofType(csr, type).length > 0;

function statusFaults({ type = '', status = '' }: Condition, at: string): Fault[] {
  const values = lasting.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
  if (status === '') return [required(child(at, 'status'))];
  return values.includes(status) ? [] : [notSupported(child(at, 'status'), status, values)];
}

const types = (csr: CertificateSigningRequest): readonly string[] => conditionsOf(csr).map(({ type = '' }) => type);
const repeats = (list: readonly string[]): boolean => new Set(list).size < list.length;

/** Errors that are already in `old` are accepted. as pkg/apis/certificates/validation/validation.go validateConditions */
export function conditionFaults(csr: CertificateSigningRequest, old: CertificateSigningRequest | undefined): Fault[] {
  const allowBoth = has(old, 'Approved') && has(old, 'Denied');
  const allowRepeated = old !== undefined && repeats(types(old));
  const allowEmpty = old !== undefined && types(old).includes('');
  const seen = new Set<string>();
  return conditionsOf(csr).flatMap((condition, i) => {
    const { type = '' } = condition;
    const at = index(path, i);
    const faults = type === '' && !allowEmpty ? [required(child(at, 'type'))] : [];
    faults.push(...statusFaults(condition, at));
    const other = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined;
    if (!allowBoth && other !== undefined && seen.has(other))
      faults.push(invalidValue(path, type, 'Approved and Denied conditions are mutually exclusive'));
    if (seen.has(type) && !allowRepeated) faults.push(duplicate(child(at, 'type'), type));
    seen.add(type);
    return faults;
  });
}

/** Returns the faults of a change of conditions: permanent ones cannot be removed; approvals come only through /approval. */
export function conditionChangeFaults(
  csr: CertificateSigningRequest,
  old: CertificateSigningRequest,
  part: 'approval' | 'other',
): Fault[] {
  const count = (of: CertificateSigningRequest, type: string): number => ofType(of, type).length;
  const refuse = (what: string, type: string): Fault =>
    forbiddenField(path, `updates may not ${what} a condition of type ${goQuote(type)}`);
  const removed = lasting.filter(type => count(csr, type) < count(old, type)).map(type => refuse('remove', type));
  if (part === 'approval') return removed;
  const added = ['Approved', 'Denied'].filter(type => count(csr, type) > count(old, type));
  return [...removed, ...added.map(type => refuse('add', type))];
}

/** Sets times that are not given: the update time to now; the transition time to now if the status changed, else as before. */
export function stampConditions(csr: CertificateSigningRequest, old: CertificateSigningRequest, now: Date): void {
  const time = formatTime(now);
  if (!csr.status?.conditions) return;
  csr.status.conditions = csr.status.conditions.map(condition => {
    const before = conditionsOf(old).find(
      ({ type, status, lastTransitionTime }) =>
        type === condition.type && status === condition.status && lastTransitionTime,
    );
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime || time,
      lastTransitionTime: condition.lastTransitionTime || (before?.lastTransitionTime ?? time),
    };
  });
}

/** Keeps the stored approvals, if the client sent the same number of them. */
export function keepApprovals(csr: CertificateSigningRequest, old: CertificateSigningRequest): void {
  for (const type of ['Approved', 'Denied']) {
    const stored = ofType(old, type);
    if (!csr.status?.conditions || ofType(csr, type).length !== stored.length) continue;
    let next = 0;
    csr.status.conditions = csr.status.conditions.map(c => (c.type === type ? (stored[next++] ?? c) : c));
  }
}
