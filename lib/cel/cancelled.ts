/** Thrown to end an expression that exceeds its cost, steps or time. No expression can catch it. */
export class Cancelled extends Error {
  constructor(why = 'actual cost limit exceeded') {
    super(`operation cancelled: ${why}`);
  }
}
