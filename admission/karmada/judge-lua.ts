import { tooLarge, tooManyRequests } from '../../apimachinery/errors/status.js';
import { luaSyntaxTaskName } from '../../lib/lua/interface.js';
import { OffloadError } from '../../lib/offload/error.js';
import type { Offload } from '../../lib/offload/interface.js';

/** Returns the error for the user whose script could not be judged. */
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
 * It rejects with 429 when too much work waits, 413 when a script takes too long or too much memory.
 */
export const luaJudge =
  (offload: Offload, user: string) =>
  async (script: string): Promise<string | undefined> => {
    const output = await offload.run(luaSyntaxTaskName, Buffer.from(script), { key: user }).catch((error: unknown) => {
      throw refusal(error);
    });
    return output.length === 0 ? undefined : Buffer.from(output).toString();
  };
