import type { Fault } from '../interface.js';

/** A body that cannot be decoded as its kind. The message is the text of Go's decoder; callers build the text of the answer around it. */
export class DecodeError extends Error {
  /** The error as a fault, if it is about one field. */
  declare readonly fault?: Fault;
  constructor(message: string, fault?: Fault) {
    super(message);
    if (fault) this.fault = fault;
  }
}
