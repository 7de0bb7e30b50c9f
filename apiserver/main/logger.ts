/** Structured logs. The only door to pino. */
import { type Level, pino } from 'pino';

/** As controllers and storage want it. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Is such a thing told? Absent: yes. */
  isLevelEnabled?(level: string): boolean;
  /** What is told from now on. Absent: always the same. */
  setLevel?(level: LogLevel): void;
}

export const logLevels = ['error', 'warn', 'info', 'debug'] as const satisfies readonly Level[];
export type LogLevel = (typeof logLevels)[number];

/** One JSON line per entry, to standard error. */
export function createLogger(level: LogLevel): Logger {
  const formatters = { level: (label: string) => ({ level: label }) };
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters };
  const log = pino(options, pino.destination({ dest: 2, sync: true }));
  return Object.assign(log, { setLevel: (wanted: LogLevel) => void (log.level = wanted) });
}

export const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
