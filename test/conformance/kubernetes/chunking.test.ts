/** Lists in pages. as test/e2e/apimachinery/chunking.go */
import path from 'node:path';
import t, { type Test } from 'tap';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import { temporaryFolder, type TestServer } from '../../apiserver/running.js';
import { kit, type List, refusal } from './kit.js';
import { runningControlPlane } from './running-control-plane.js';

const total = 400;
const backend = await openEmbedded({ directory: path.join(await temporaryFolder(t), 'storage') });
t.teardown(() => backend.close());
const start = (): Promise<TestServer> => runningControlPlane(t, { storage: { type: 'opened', backend } });
const server = await start();
const all = kit(t, server);
const namespace = await all.namespace();
const before = all.of('v1/podtemplates', namespace);
const nameOf = (index: number): string => `template-${String(index).padStart(4, '0')}`;
const template = { spec: { containers: [{ name: 'test', image: 'test2' }] } };
await Promise.all(Array.from({ length: total }, (_, i) => before.create({ metadata: { name: nameOf(i) }, template })));

/** Checks a page that follows `found` objects. */
function checkPage(t: Test, { items, metadata }: List, found: number): void {
  const after = total - found - items.length;
  t.equal(metadata.remainingItemCount, after === 0 ? undefined : after, 'has the number of remaining items');
  t.equal(Boolean(metadata.continue), after > 0, 'has a continue token');
  t.same(
    items.map(({ metadata: { name } }) => name),
    items.map((_, i) => nameOf(found + i)),
  );
}

const next = ({ metadata }: List): string => encodeURIComponent(metadata.continue ?? '');

t.test('pages of a list are of one resource version', async t => {
  for (let round = 0; round < 3; round++) {
    let page = await before.list('limit=17');
    const { resourceVersion } = page.metadata;
    for (let found = 0; ; page = await before.list(`limit=17&continue=${next(page)}`)) {
      t.ok(page.items.length <= 17);
      t.equal(page.metadata.resourceVersion, resourceVersion, 'has the same resource version');
      checkPage(t, page, found);
      found += page.items.length;
      if (!page.metadata.continue) {
        t.equal(found, total);
        break;
      }
    }
  }
  t.equal((await before.list(`limit=${total + 1}`)).items.length, total, 'a large limit returns all items');
});

t.test('a list continues at a newer resource version after compaction', async t => {
  const limit = total / 10;
  const first = await before.list(`limit=${limit}`);
  checkPage(t, first, 0);
  await before.patch(nameOf(0), { metadata: { labels: { changed: 'yes' } } });
  await server.stop(); // its cache holds the old revisions for long; a new server starts without them
  await backend.compact(await backend.revision());
  const templates = kit(t, await start()).of('v1/podtemplates', namespace);
  const expired = await refusal(templates.list(`limit=${limit}&continue=${next(first)}`));
  t.match(expired.status, { code: 410, reason: 'Expired', metadata: { continue: /./ } });
  const token = encodeURIComponent((expired.status.metadata as { continue?: string }).continue ?? '');
  let page = await templates.list(`limit=${limit}&continue=${token}`);
  t.not(page.metadata.resourceVersion, first.metadata.resourceVersion, 'a newer resource version');
  t.equal(page.items.length, limit);
  checkPage(t, page, limit);
  const { resourceVersion } = page.metadata;
  let found = limit + page.items.length;
  while (page.metadata.continue) {
    page = await templates.list(`limit=${limit}&continue=${next(page)}`);
    t.equal(page.metadata.resourceVersion, resourceVersion, 'has the newer resource version');
    checkPage(t, page, found);
    found += page.items.length;
  }
  t.equal(found, total);
});
