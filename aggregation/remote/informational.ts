import { ExpectedError } from '../../lib/logging/cause.js';

/** Maximum number of 1xx answers before an answer. as net/http Transport max1xxResponses */
const maxResponses = 5;

/** Returns a function for one request, to be called at every 1xx answer. It throws when there are too many: each restarts the timeout of the answer. */
export function limitInformational(): () => void {
  let count = 0;
  return () => {
    if (++count > maxResponses) throw new ExpectedError('net/http: too many 1xx informational responses');
  };
}
