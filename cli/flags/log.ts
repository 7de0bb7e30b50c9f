import { type LogFormat, logFormats, type LogLevel, logLevels } from '../../server/logger.js';
import type { FlagTable, FlagValues } from './flags.js';
import { parseChoice } from './parse-choice.js';

/** Flags of all programs that log. */
export const logFlags = {
  'log-level': { type: 'string', value: 'LEVEL', default: 'info', help: `One of ${logLevels.join(', ')}` },
  'log-format': {
    type: 'string',
    value: 'FORMAT',
    default: 'auto',
    help: 'json: one object per line; pretty: for people; auto: pretty on a terminal, json otherwise',
  },
} as const satisfies FlagTable;

export interface LogSettings {
  readonly level: LogLevel;
  readonly format: LogFormat;
}

/** Throws UsageError. */
export const parseLogging = (values: FlagValues<typeof logFlags>): LogSettings => ({
  level: parseChoice('log-level', values['log-level'], logLevels),
  format: parseChoice('log-format', values['log-format'], logFormats),
});
