/** The interface through which every layer logs. */

/** One line per call: the fields, and a constant message. The shape of a pino logger. */
export interface Logger {
  /** For debugging: requests, attempts, decisions. */
  debug(fields: object, message: string): void;
  /** For operators, in normal operation: starts, ends, members that come and go. */
  info(fields: object, message: string): void;
  /** A state that needs attention, logged once when it begins (see `FailureState`). Not used in normal operation. */
  warn(fields: object, message: string): void;
  /** A bug, with its stack, or a permanent loss. */
  error(fields: object, message: string): void;
  /** Absent: every level is enabled. */
  isLevelEnabled?(level: string): boolean;
}

export const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
