/**
 * How another process of the same user makes simulated members fail: HTTP over a Unix socket in the data directory that only its owner may
 * connect to. `GET /members` answers `MemberStatus[]`; `PUT /members/NAME` takes a `Reachability` and answers 204.
 */
import type { Reachability } from '../reachability.js';

export interface MemberStatus {
  readonly name: string;
  readonly url: string;
  readonly reachability: Reachability;
}

/** The body of an answer that is not a success. */
export interface ControlFailure {
  readonly message: string;
}

export const membersPath = '/members';
