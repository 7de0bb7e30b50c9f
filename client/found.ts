import { StatusError } from '../apimachinery/errors/status.js';

/** What is asked for; undefined where the server says that there is none. */
export async function found<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return undefined;
    throw error;
  }
}
