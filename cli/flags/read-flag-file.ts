import fs from 'node:fs/promises';
import { UsageError } from './flags.js';

/** Reads the file that a flag names. Throws UsageError. */
export async function readFlagFile(flag: string, file: string): Promise<string> {
  try {
    return await fs.readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`the file of --${flag} cannot be read: ${(error as Error).message}`);
  }
}
