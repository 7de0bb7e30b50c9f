import { type FlagshipProcess, startFlagship } from '../../tools/flagship.js';

/** Starts `flagship up` with these flags and a temporary folder, and stops it after `use`. */
export async function withFlagship<T>(
  flags: readonly string[],
  use: (server: FlagshipProcess) => Promise<T>,
): Promise<T> {
  const server = await startFlagship(flags);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}
