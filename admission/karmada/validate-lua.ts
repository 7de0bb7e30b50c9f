import { tooLarge, tooManyRequests } from '../../apimachinery/errors/status.js';
import { luaSyntaxTaskName } from '../../lib/lua/interface.js';
import { OffloadError } from '../../lib/offload/error.js';
import type { Offload } from '../../lib/offload/interface.js';

/**
 * Milliseconds that the thread may have for one script. Other users wait for it meanwhile; an ordinary script takes a millisecond, and a
 * wrong one of a megabyte some hundred.
 */
const limit = 2_000;

/** Returns the error for the user whose script could not be validated. */
function refusal(error: unknown): unknown {
  if (!(error instanceof OffloadError)) return error;
  switch (error.reason) {
    case 'full':
    case 'closed':
      return tooManyRequests('the server is reading too many scripts, please try again later', 1);
    case 'late':
      return tooLarge('the script takes too long to compile');
    case 'memory':
      return tooLarge('the script takes too much memory to compile');
    case 'failed':
      return error;
  }
}

/**
 * Returns a function that compiles a script in another thread, on behalf of the user, and returns what is wrong with it; undefined if it compiles.
 * It rejects with 429 when too much work waits, 413 when a script takes too long or too much memory, and with the reason of the request's signal when that
 * aborts.
 */
export const luaValidator =
  (offload: Offload, user: string, signal?: AbortSignal) =>
  async (script: string): Promise<string | undefined> => {
    const options = { key: user, limit, ...(signal && { signal }) };
    const output = await offload.run(luaSyntaxTaskName, Buffer.from(script), options).catch((error: unknown) => {
      throw refusal(error);
    });
    return output.length === 0 ? undefined : Buffer.from(output).toString();
  };
