import { offloadRefusal } from '../../apimachinery/errors/offload-refusal.js';
import { luaSyntaxTaskName } from '../../lib/lua/interface.js';
import type { Offload } from '../../lib/offload/interface.js';

/**
 * Milliseconds that the thread may have for one script. Other users wait for it meanwhile; an ordinary script takes a millisecond, and a
 * wrong one of a megabyte some hundred.
 */
const limit = 2_000;

/** The texts for the user whose script could not be validated. */
const refusals = {
  busy: 'the server is reading too many scripts, please try again later',
  late: 'the script takes too long to compile',
  memory: 'the script takes too much memory to compile',
} as const;

/**
 * Returns a function that compiles a script in another thread, on behalf of the user, and returns what is wrong with it; undefined if it compiles. It
 * rejects with 429 when too much work waits, 413 when a script takes too long or too much memory, and with the reason of the request's signal when
 * that aborts.
 */
export const luaValidator =
  (offload: Offload, user: string, signal?: AbortSignal) =>
  async (script: string): Promise<string | undefined> => {
    const options = { key: user, limit, ...(signal && { signal }) };
    const output = await offload.run(luaSyntaxTaskName, Buffer.from(script), options).catch((error: unknown) => {
      throw offloadRefusal(error, refusals);
    });
    return output.length === 0 ? undefined : Buffer.from(output).toString();
  };
