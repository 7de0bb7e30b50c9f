/**
 * The protocol with which another process of the same user controls simulated members: HTTP over a Unix socket in the data directory, to which
 * only its owner may connect. `GET /members` answers `MemberStatus[]`; `PUT /members/NAME` takes a `Reachability` and answers 204.
 */
import type { Reachability } from '../reachability.js';

export interface MemberStatus {
  readonly name: string;
  readonly url: string;
  readonly reachability: Reachability;
}

/** The body of an error. */
export interface ControlFailure {
  readonly message: string;
}

export const membersPath = '/members';
