/** Structured logs. The only door to pino. */
import { type Level, pino } from 'pino';

/** As controllers and storage want it. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const logLevels = ['error', 'warn', 'info', 'debug'] as const satisfies readonly Level[];
export type LogLevel = (typeof logLevels)[number];

/** One JSON line per entry, to standard error. */
export function createLogger(level: LogLevel): Logger {
  const formatters = { level: (label: string) => ({ level: label }) };
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters };
  return pino(options, pino.destination({ dest: 2, sync: true }));
}

export const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
