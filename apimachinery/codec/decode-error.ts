import type { Fault } from '../interface.js';

/** A body that cannot become an object of its kind; the message is the text of Go's decoder, which answers dress. */
export class DecodeError extends Error {
  /** The same as a fault, where a place in the object is to blame. */
  declare readonly fault?: Fault;
  constructor(message: string, fault?: Fault) {
    super(message);
    if (fault) this.fault = fault;
  }
}
