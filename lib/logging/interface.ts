/** What every layer uses to tell an operator what happens. */

/** One line per call: the fields first, then a constant text without variable parts. Same shape as a pino logger. */
export interface Logger {
  /** For those who look for a fault: requests, attempts, decisions. */
  debug(fields: object, message: string): void;
  /** What an operator wants to know on a healthy day: starts, ends, members that come and go. */
  info(fields: object, message: string): void;
  /** A state that needs attention: told once when it begins, see `Trouble`. Nothing is told here while all is well. */
  warn(fields: object, message: string): void;
  /** A bug, with its stack, or the loss of something that does not come back by itself. */
  error(fields: object, message: string): void;
  /** Absent: every level is on. */
  isLevelEnabled?(level: string): boolean;
}

export const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
