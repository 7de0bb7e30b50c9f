import { ExpectedError } from '../../lib/logging/cause.js';

/** Thrown when the answer of another server is too large or invalid. The message has the request and the limit. */
export class BadAnswer extends ExpectedError {
  /** `request`: method and URL, `GET https://HOST:PORT/PATH`. */
  constructor(request: string, fault: string) {
    super(`${request}: ${fault}`);
    this.name = 'BadAnswer';
  }
}
