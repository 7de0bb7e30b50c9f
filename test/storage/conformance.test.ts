import t from 'tap';
import { openCache } from '../../storage/cache/open-cache.js';
import { openEmbedded } from '../../storage/embedded/open-embedded.js';
import type { Codec } from '../../storage/interface.js';
import { storeConformance } from '../conformance/store.js';
import { openTestEtcd, startEtcd, withoutEtcd } from './etcd-server.js';
import { temporaryFolder } from './folder.js';

/** A cache may keep a longer history than its store; cache.test.ts covers the opposite. */
const longMemory = {
  'compact: older revisions are compacted, the current state is kept': 'a cache has a past of its own',
};

const raw: Codec<Uint8Array> = { decode: value => value, encode: value => value };

storeConformance(t, 'embedded', async () => {
  const store = await openEmbedded({ directory: await temporaryFolder(t) });
  return {
    store,
    compact: upTo => store.compact(upTo),
    maxValueBytes: 1.5 * (1 << 20),
    close: () => store.close(),
  };
});

storeConformance(t, 'cache around embedded', async root => {
  const backend = await openEmbedded({ directory: await temporaryFolder(t) });
  const store = openCache(backend, root, raw, { freshnessTimeoutMs: 300 });
  await store.ready;
  return {
    store,
    compact: upTo => backend.compact(upTo),
    maxValueBytes: 1.5 * (1 << 20),
    declines: longMemory,
    close: async () => {
      await store.close();
      await backend.close();
    },
  };
});

t.test('etcd', { skip: withoutEtcd }, async t => {
  const server = await startEtcd(t);
  const etcd = { maxValueBytes: 1.5 * (1 << 20) };

  storeConformance(t, 'etcd', async () => {
    const store = await openTestEtcd(server);
    return { ...etcd, store, compact: upTo => store.compact(upTo), close: () => store.close() };
  });

  storeConformance(t, 'cache around etcd', async root => {
    const backend = await openTestEtcd(server);
    const store = openCache(backend, root, raw, { freshnessTimeoutMs: 300 });
    await store.ready;
    return {
      ...etcd,
      store,
      compact: upTo => backend.compact(upTo),
      declines: longMemory,
      close: async () => {
        await store.close();
        await backend.close();
      },
    };
  });
});
