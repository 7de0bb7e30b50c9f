import { StorageError } from '../error.js';
import type { CallError } from './grpc/call-error.js';

/** What a failed call means. `applied`: whether a write may have been applied all the same. */
export type Failure =
  | { readonly type: 'final'; readonly error: StorageError }
  | { readonly type: 'leaseGone' }
  | { readonly type: 'token' }
  | { readonly type: 'retry'; readonly applied: 'no' | 'maybe' };

/** gRPC codes for which another attempt would get the same answer. */
const definite: readonly number[] = [3 /* invalid argument */, 7 /* permission denied */, 11 /* out of range */];

interface Rule {
  readonly text: RegExp;
  readonly failure: (error: CallError) => Failure;
}

const final =
  (storageCode: 'compacted' | 'future' | 'tooLarge' | 'full' | 'unavailable' | 'corrupt') =>
  (error: CallError): Failure => ({
    type: 'final',
    error: new StorageError(storageCode, `etcd: ${error.details}`, { cause: error }),
  });
const retry = (applied: 'no' | 'maybe') => (): Failure => ({ type: 'retry', applied });

/** etcd tells its errors apart by their texts (api/v3rpc/rpctypes); the first matching rule applies. */
const rules: readonly Rule[] = [
  { text: /required revision has been compacted/, failure: final('compacted') },
  { text: /required revision is a future revision/, failure: final('future') },
  { text: /request is too large|trying to send message larger|received message larger/, failure: final('tooLarge') },
  { text: /database space exceeded/, failure: final('full') },
  { text: /requested lease not found/, failure: () => ({ type: 'leaseGone' }) },
  { text: /invalid auth token|revision of auth store is old/, failure: () => ({ type: 'token' }) },
  {
    text: /permission denied|authentication failed|authentication is not enabled|user name is empty/,
    failure: final('unavailable'),
  },
  { text: /corrupt cluster|corruption/, failure: final('corrupt') },
  // The request was rejected before it was applied.
  { text: /no leader|too many requests|rpc not supported for learner/, failure: retry('no') },
];

/** Returns what a failed call to etcd means, and whether it may be repeated. */
export function failureOf(error: CallError): Failure {
  if (error.refused) return retry('no')();
  const rule = rules.find(r => r.text.test(error.details));
  if (rule !== undefined) return rule.failure(error);
  return definite.includes(error.code) ? final('unavailable')(error) : retry('maybe')();
}
