import { StatusError } from '../apimachinery/errors/status.js';

/** Resolves with the value of a request; with undefined if the server answers 404. */
export async function found<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return undefined;
    throw error;
  }
}
