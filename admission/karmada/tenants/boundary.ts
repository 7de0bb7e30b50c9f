import type { Maybe } from '../../../lib/maybe.js';
import type { Authorizer } from '../../../registry/access.js';
import type { AdmissionRequest } from '../../../registry/admission-plugin.js';

/**
 * Checks whether a write affects objects outside of the tenant's namespace. Returns a text with what is wrong, why, and what to do;
 * undefined if it does not.
 */
export type Boundary = (request: AdmissionRequest, authorize: Authorizer) => Maybe<string | undefined>;
