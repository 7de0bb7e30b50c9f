import fs from 'node:fs/promises';
import { errorText } from '../../apimachinery/errors/error-text.js';

/** A file is there and of no use. */
export class PkiFileError extends Error {}

/** Undefined: there is none. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await fs.readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Of files whose text is no key and no certificate, an error that names them. */
export function parsed<T>(files: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new PkiFileError(`${files}: ${errorText(error)}`, { cause: error });
  }
}
