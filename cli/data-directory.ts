import path from 'node:path';
import type { FlagDefinition } from './flags.js';

/** `--data-dir`, the same for all commands. */
export const dataDirectory = {
  type: 'string',
  value: 'DIR',
  default: './.flagship',
  help: 'Where everything is kept',
} as const satisfies FlagDefinition;

/** Where the embedded storage of a data directory lies. */
export const storageOf = (directory: string): string => path.join(directory, 'storage');
export const keysOf = (directory: string): string => path.join(directory, 'pki');
