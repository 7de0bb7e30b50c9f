/** The time in which the answers of members are parsed is divided among them, however much each of them sends. */
import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { remote } from '../../../aggregation/remote/client.js';

const configMaps = { group: '', version: 'v1', resource: 'configmaps' };

/** Starts a member whose watches are answered by `answer`. Returns the events that a client of it receives. */
async function eventsOf(t: Test, signal: AbortSignal, answer: (response: ServerResponse) => void) {
  const server = http.createServer((_request, response) => {
    response.on('error', () => undefined);
    response.writeHead(200, { 'content-type': 'application/json' });
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = remote(
    { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    { userAgent: 'test/1.0' },
  );
  t.teardown(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  return client.events(configMaps, { resourceVersion: '1' }, signal);
}

const event = (i: number, data: object): string =>
  `${JSON.stringify({ type: 'MODIFIED', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', resourceVersion: `${i + 2}` }, data } })}\n`;

/** Events of an honest member that is busy: so many wait to be read. */
const count = 3000;
const busy = Array.from({ length: count }, (_, i) => event(i, { k: 'v' })).join('');
const large = event(0, Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, 'v'])));

/** Sends large events as fast as they are read. */
function flood(response: ServerResponse): void {
  while (!response.destroyed) if (!response.write(large)) return void response.once('drain', () => flood(response));
}

t.test('members that are busy get their share beside one that sends large events at full speed', async t => {
  const stop = new AbortController();
  const honest = await Promise.all([0, 1].map(() => eventsOf(t, stop.signal, response => void response.write(busy))));
  const flooding = await eventsOf(t, stop.signal, flood);
  let floods = 0;
  const flooded = (async () => {
    for await (const _ of flooding) floods++;
  })();
  while (floods === 0) await new Promise(resolve => setImmediate(resolve));
  floods = 0;
  const received = [0, 0];
  /** What the other honest member had received when one had all. */
  let least: number | undefined;
  await Promise.all(
    honest.map(async (events, i) => {
      for await (const _ of events) if ((received[i] = (received[i] ?? 0) + 1) === count) break;
      least ??= Math.min(...received);
    }),
  );
  stop.abort();
  await flooded;
  t.same(received, [count, count]);
  t.ok((least ?? 0) > count / 4, `one honest member had ${least} of ${count} events when the other had all`);
  // With one event of each at a time, the flood would get as many as they do.
  t.ok(floods < count / 4, `${floods} large events were read before ${count} small ones of each`);
});
