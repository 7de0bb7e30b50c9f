/** Lists and watches with selectors test many objects from before a restart in several turns of the event loop. */
import t, { type Test } from 'tap';
import type { Client } from '../../../../client/interface.js';
import { openEmbedded } from '../../../../storage/embedded/open-embedded.js';
import { object as objectSchema, text } from '../../../custom-kinds.js';
import { temporaryFolder } from '../../../storage/folder.js';
import { turnsDuring } from '../../../turns.js';
import { define, definition, version, widgets } from '../../dynamic/definitions.js';
import { serve } from '../../serve.js';

/** Turns of the event loop that a read takes at least. The tests take 300 to 600 ms of CPU, and one time slice takes 8. */
const minTurns = 8;
const count = 5000;
const schema = { openAPIV3Schema: objectSchema({ spec: objectSchema({ color: text, note: text }) }) };

/** Serves Widgets that another process has written, every hundredth of which is red. */
async function serveWidgets(t: Test): Promise<Client> {
  const backend = await openEmbedded({ directory: await temporaryFolder(t) });
  const { client } = await serve(t, { backend, freeze: false });
  t.teardown(() => backend.close());
  const put = (i: number): Promise<unknown> => {
    const name = `w-${i}`;
    const color = i % 100 === 0 ? 'red' : 'blue';
    const metadata = { name, namespace: 'default', uid: `u-${i}`, labels: { color } };
    const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata, spec: { color, note: 'n'.repeat(500) } };
    return backend.put(`/registry/example.com/widgets/default/${name}`, 'absent', Buffer.from(JSON.stringify(object)));
  };
  await Promise.all(Array.from({ length: count }, (_, i) => put(i)));
  await define(
    client,
    definition({ versions: [version('v1', { schema, selectableFields: [{ jsonPath: '.spec.color' }] })] }),
  );
  return client;
}

const reads: Readonly<Record<string, (client: Client) => Promise<number>>> = {
  'a list by a field': async client => (await client.list(widgets, { fieldSelector: 'spec.color=red' })).items.length,
  'pages by a field': async client =>
    (await client.list(widgets, { fieldSelector: 'spec.color=red', limit: 1000 })).items.length,
  'the initial events of a watch': async client => {
    const stop = new AbortController();
    let seen = 0;
    const query = { fieldSelector: 'spec.color=red', sendInitialEvents: true, allowWatchBookmarks: true } as const;
    for await (const { type } of client.watch(
      widgets,
      { ...query, resourceVersionMatch: 'NotOlderThan' },
      stop.signal,
    )) {
      if (type === 'BOOKMARK') break;
      seen++;
    }
    stop.abort();
    return seen;
  },
};

for (const [name, read] of Object.entries(reads))
  t.test(`${name} of many objects`, async t => {
    const client = await serveWidgets(t);
    await client.list(widgets, { limit: 1 }); // fills the cache
    let found = 0;
    // Once: the fields are known afterwards.
    const { count: turns } = await turnsDuring(Infinity, async () => {
      found = await read(client);
    });
    t.equal(found, count / 100);
    t.ok(turns >= minTurns, `${turns} turns`);
  });
