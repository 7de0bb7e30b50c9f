/** The interface through which every layer logs. */

/** One line per call: the fields, and a constant message. The shape of a pino logger. */
export interface Logger {
  /** Logs what helps with debugging: requests, attempts, decisions. */
  debug(fields: object, message: string): void;
  /** Logs for operators, in normal operation: starts, ends, members that come and go. */
  info(fields: object, message: string): void;
  /** Logs a state that needs attention, once when it begins (see `FailureState`). Not used in normal operation. */
  warn(fields: object, message: string): void;
  /** Logs a bug, with its stack, or a permanent loss. */
  error(fields: object, message: string): void;
  /** Reports whether lines of a level are written. Absent: those of every level are. */
  isLevelEnabled?(level: string): boolean;
}

export const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
