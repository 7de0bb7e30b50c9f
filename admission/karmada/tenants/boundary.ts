import type { Maybe } from '../../../lib/maybe.js';
import type { Authorizer } from '../../../registry/access.js';
import type { AdmissionRequest } from '../../../registry/admission-plugin.js';

/**
 * Judges whether a write leaves the namespace of the user who makes it: a text that says how, why it matters and what to do;
 * undefined where it does not.
 */
export type Boundary = (request: AdmissionRequest, authorize: Authorizer) => Maybe<string | undefined>;
