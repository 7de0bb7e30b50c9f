/** Creates structured loggers. The only file that uses pino and pino-pretty. */
import process from 'node:process';
import { type Level, pino } from 'pino';
import { causeText, isExpected } from '../lib/logging/cause.js';
import type { Logger as BasicLogger } from '../lib/logging/interface.js';

/** A logger whose level can change while it runs. */
export interface AdjustableLogger extends BasicLogger {
  /** Absent: the level cannot be changed. */
  setLevel?(level: LogLevel): void;
}

export { silent } from '../lib/logging/interface.js';

export const logLevels = ['error', 'warn', 'info', 'debug'] as const satisfies readonly Level[];
export type LogLevel = (typeof logLevels)[number];

/** `auto`: pretty on a terminal, JSON elsewhere. */
export const logFormats = ['auto', 'pretty', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Fields of every line: `member` for the simulated members. */
  readonly fields?: object;
}

/** Logs expected failures as text (`cause`); only bugs are logged with their stack (`err`). */
function inWords(fields: Record<string, unknown>): Record<string, unknown> {
  const { err, ...rest } = fields;
  return err !== undefined && isExpected(err) ? { ...rest, cause: causeText(err) } : fields;
}

/** Returns a formatter for a terminal. The package is loaded only when needed: it adds tens of milliseconds to a start. */
async function prettyLines(isTerminal: boolean): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({ colorize: isTerminal, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' });
  return line => pretty(line) ?? '';
}

/** Creates a logger to standard error, one line for each entry, written before the call returns. */
export async function createLogger({ level, format, fields }: LogOptions): Promise<AdjustableLogger> {
  const isTerminal = process.stderr.isTTY === true;
  const isPretty = format === 'pretty' || (format === 'auto' && isTerminal);
  const sink = pino.destination({ dest: 2, sync: true });
  const pretty = isPretty ? await prettyLines(isTerminal) : undefined;
  const formatters = { level: (label: string) => ({ level: label }), log: inWords };
  const options = { level, base: fields ?? null, timestamp: pino.stdTimeFunctions.isoTime, formatters };
  const log = pino(options, pretty ? { write: line => sink.write(pretty(line)) } : sink);
  return Object.assign(log, { setLevel: (newLevel: LogLevel) => void (log.level = newLevel) });
}
