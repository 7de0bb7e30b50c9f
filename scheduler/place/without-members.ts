import type { InSteps } from '../../lib/time-slice.js';
import type { Deciding } from '../interface.js';

/** Runs a decision without asking members: it uses only the estimates from Cluster objects. */
export function* withoutMembers<T>(steps: Deciding<T>): InSteps<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    yield;
  }
}
