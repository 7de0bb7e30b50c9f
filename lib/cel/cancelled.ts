/** Ends an expression that costs more than it may, in costs, steps or time. Nothing in an expression catches it. */
export class Cancelled extends Error {
  constructor(why = 'actual cost limit exceeded') {
    super(`operation cancelled: ${why}`);
  }
}
