import type { Client, WatchQuery } from '../../client/interface.js';

/** Returns a client whose watches can be broken, and which records the resourceVersion at which each began. */
export function breakable(client: Client) {
  const began: string[] = [];
  let lists = 0;
  let failure: Error | undefined;
  let stop = new AbortController();

  async function* through<E>(
    watch: (signal: AbortSignal) => AsyncIterable<E>,
    { resourceVersion = '' }: WatchQuery,
    signal: AbortSignal,
  ): AsyncGenerator<E, void> {
    began.push(resourceVersion);
    stop = new AbortController();
    yield* watch(AbortSignal.any([signal, stop.signal]));
    if (failure) throw failure;
  }

  const { cached: held } = client;
  const broken: Client = {
    ...client,
    list: (...args) => (lists++, client.list(...args)),
    watch: (resource, query, signal) => through(s => client.watch(resource, query, s), query, signal),
    ...(held && {
      cached: {
        ...held,
        list: (...args) => (lists++, held.list(...args)),
        watch: (resource, query, signal) => through(s => held.watch(resource, query, s), query, signal),
      },
    }),
  };
  return {
    client: broken,
    began,
    lists: () => lists,
    fail(error: Error) {
      failure = error;
      stop.abort();
    },
    heal: () => (failure = undefined),
  };
}
