import { semanticEqual } from '../lib/json/equality.js';
import { semanticEqualSteps } from '../lib/json/equality-steps.js';
import type { Maybe } from '../lib/maybe.js';
import { inTimeSlices } from '../lib/time-slice.js';
import type { AdmissionRequest } from '../registry/admission-plugin.js';

/** Compares two states of the object of a request: at once, or in time slices if it is large. Neither may change meanwhile. */
export const isSameObject = ({ pause }: Pick<AdmissionRequest, 'pause'>, a: unknown, b: unknown): Maybe<boolean> =>
  pause ? inTimeSlices(semanticEqualSteps(a, b)) : semanticEqual(a, b);
