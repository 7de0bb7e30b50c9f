import type { Maybe } from '../../../openapi/meta/maybe.js';
import type { Authorizer } from '../../access.js';
import type { AdmissionRequest } from '../interface.js';

/**
 * Judges whether a write leaves the namespace of the user who makes it: a text that says how, why it matters and what to do;
 * undefined where it does not.
 */
export type Boundary = (request: AdmissionRequest, authorize: Authorizer) => Maybe<string | undefined>;
