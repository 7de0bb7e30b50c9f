import path from 'node:path';
import { type FlagDefinition, UsageError } from './flags.js';

/** `--data-dir`, the same for all commands. */
export const dataDirectory = {
  type: 'string',
  value: 'DIR',
  default: './.flagship',
  help: 'Where everything is kept',
} as const satisfies FlagDefinition;

/** The folder, absolute. An empty name (of a variable that is not set) is a mistake, and not the folder that somebody happens to be in. */
export function directoryOf(values: { readonly 'data-dir': string }): string {
  const name = values['data-dir'];
  if (name === '') throw new UsageError('invalid value "" for --data-dir: want a folder');
  return path.resolve(name);
}

/** Where the embedded storage of a data directory lies. */
export const storageOf = (directory: string): string => path.join(directory, 'storage');
/** The socket through which `flagship member` speaks to `flagship up --members`. */
export const controlSocketOf = (directory: string): string => path.join(directory, 'members.sock');
export const keysOf = (directory: string): string => path.join(directory, 'pki');
