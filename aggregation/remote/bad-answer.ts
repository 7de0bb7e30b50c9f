import { ExpectedError } from '../../lib/logging/cause.js';

/** Another server answered, and its answer is too large or is not what it should be. The message names the request and the limit. */
export class BadAnswer extends ExpectedError {
  /** `request`: what was asked of whom, `GET https://HOST:PORT/PATH`. */
  constructor(request: string, fault: string) {
    super(`${request}: ${fault}`);
    this.name = 'BadAnswer';
  }
}
