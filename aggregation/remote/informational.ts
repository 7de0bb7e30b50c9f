import { ExpectedError } from '../../lib/logging/cause.js';

/** 1xx answers before an answer. as net/http Transport max1xxResponses */
const most = 5;

/** Of one request: called at every 1xx answer, throws when there are too many. Each would begin the wait for the answer anew. */
export function limitInformational(): () => void {
  let count = 0;
  return () => {
    if (++count > most) throw new ExpectedError('net/http: too many 1xx informational responses');
  };
}
