import t from 'tap';
import { StorageError } from '../../storage/error.js';
import { StoreHealth } from '../../storage/store-health.js';

const storeThat = (health: () => Promise<void>): StoreHealth => new StoreHealth({ health });

t.test('a sound store is readable and writable', async () => {
  const store = storeThat(() => Promise.resolve());
  await Promise.all([store.readable(), store.writable(), store.disk()]);
});

t.test('a store whose disk takes no writes can be read', async t => {
  const error = new StorageError('unwritable', 'no space left on the disk of the data directory');
  const store = storeThat(() => Promise.reject(error));
  await store.readable();
  await t.rejects(store.writable(), error);
  await t.rejects(store.disk(), error);
});

t.test('a store that does not answer is neither readable nor writable, whatever its disk', async t => {
  const error = new StorageError('unavailable', 'no answer');
  const store = storeThat(() => Promise.reject(error));
  await t.rejects(store.readable(), error);
  await t.rejects(store.writable(), error);
  await store.disk();
});
