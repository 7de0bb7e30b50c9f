import type { ServiceError } from '@grpc/grpc-js';
import { StorageError } from '../error.js';

/** What a failed call means. `applied`: whether a write may have been done all the same. */
export type Failure =
  | { readonly type: 'final'; readonly error: StorageError }
  | { readonly type: 'leaseGone' }
  | { readonly type: 'token' }
  | { readonly type: 'retry'; readonly applied: 'no' | 'maybe' };

/** Of gRPC: another attempt would be answered in the same way. */
const definite: readonly number[] = [3 /* invalid argument */, 7 /* permission denied */, 11 /* out of range */];

interface Rule {
  readonly text: RegExp;
  readonly failure: (error: ServiceError) => Failure;
}

const final =
  (storageCode: 'compacted' | 'future' | 'tooLarge' | 'unavailable' | 'corrupt') =>
  (error: ServiceError): Failure => ({
    type: 'final',
    error: new StorageError(storageCode, `etcd: ${error.details}`, { cause: error }),
  });
const again = (applied: 'no' | 'maybe') => (): Failure => ({ type: 'retry', applied });

/** etcd tells its errors apart by their texts (api/v3rpc/rpctypes); the first rule that fits. */
const rules: readonly Rule[] = [
  { text: /required revision has been compacted/, failure: final('compacted') },
  { text: /required revision is a future revision/, failure: final('future') },
  { text: /request is too large|trying to send message larger|received message larger/, failure: final('tooLarge') },
  { text: /requested lease not found/, failure: () => ({ type: 'leaseGone' }) },
  { text: /invalid auth token/, failure: () => ({ type: 'token' }) },
  {
    text: /database space exceeded|permission denied|authentication failed|user name is empty/,
    failure: final('unavailable'),
  },
  { text: /corrupt cluster|corruption/, failure: final('corrupt') },
  // The request never left, or was turned away at the door.
  {
    text: /No connection established|Channel closed before call started|Name resolution failed|no leader|too many requests|rpc not supported for learner/,
    failure: again('no'),
  },
];

export function failureOf(error: ServiceError): Failure {
  const text = `${error.details} ${error.message}`;
  const rule = rules.find(r => r.text.test(text));
  if (rule !== undefined) return rule.failure(error);
  return definite.includes(error.code) ? final('unavailable')(error) : again('maybe')();
}
