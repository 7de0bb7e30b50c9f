import fs from 'node:fs/promises';
import { errorText } from '../../apimachinery/errors/error-text.js';

/** A file exists but cannot be used. */
export class PkiFileError extends Error {}

/** Reads a file; undefined when it does not exist. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await fs.readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Parses the text of files; an error gets their names. */
export function parsedFiles<T>(files: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new PkiFileError(`${files}: ${errorText(error)}`, { cause: error });
  }
}
