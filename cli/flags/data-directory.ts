import path from 'node:path';
import { type FlagDefinition, invalidFlag } from './flags.js';

/** The flag `--data-dir` of all commands. */
export const dataDirectory = {
  type: 'string',
  value: 'DIR',
  default: './.flagship',
  help: 'Folder of all data',
} as const satisfies FlagDefinition;

/** Returns the absolute folder. An empty name (of an unset variable) is an error; it does not mean the current folder. */
export function directoryOf(values: { readonly 'data-dir': string }): string {
  const name = values['data-dir'];
  if (name === '') throw invalidFlag('data-dir', '', 'want a folder');
  return path.resolve(name);
}

/** Returns the folder of the embedded storage in a data directory. */
export const storageOf = (directory: string): string => path.join(directory, 'storage');
/** Returns the socket through which `flagship member` controls `flagship up --members`. */
export const controlSocketOf = (directory: string): string => path.join(directory, 'members.sock');

/** Returns the folder of the keys and certificates. */
export const keysOf = (directory: string): string => path.join(directory, 'pki');
