/** Addresses, certificates and answers of an OpenSearch. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { OpenSearchClient } from '../../../aggregation/search-backends/open-search-client.js';
import { createAuthority, issueServing } from '../../../authn/pki/authority.js';
import { until } from '../../authn/serve.js';
import { FakeOpenSearch } from './fake-open-search.js';
import { settingsFor } from './store-fixture.js';

t.test('the certificate is verified', async t => {
  const authority = await createAuthority();
  const { certificate: cert, key } = await issueServing(authority, ['127.0.0.1']);
  const fake = new FakeOpenSearch();
  const address = await fake.listen(t, { tls: { cert, key } });
  const unknown = new OpenSearchClient(settingsFor(address));
  const known = new OpenSearchClient({ ...settingsFor(address), ca: authority.certificate });
  t.teardown(() => Promise.all([unknown.close(), known.close()]));
  await t.rejects(unknown.createIndex('a'), { message: /certificate/ });
  await known.createIndex('a');
  await known.createIndex('a');
  t.ok(fake.documents.has('a'));
});

t.test('an answer is read to a limit, is not decompressed, and has to be JSON', async t => {
  let answer: (response: http.ServerResponse) => void = () => undefined;
  const server = http.createServer((_request, response) => {
    response.on('error', () => undefined);
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = new OpenSearchClient(settingsFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  t.teardown(() => client.close());
  const piece = 'x'.repeat(65_536);
  let ended = false;
  answer = response => {
    const more = (): void => {
      while (!response.destroyed) if (!response.write(piece)) return void response.once('drain', more);
    };
    response.on('close', () => (ended = true));
    more();
  };
  await t.rejects(client.bulk(''), { message: 'POST /_bulk: the answer is longer than 8 MiB', status: 0 });
  await until(() => ended);
  answer = response => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(' '.repeat(1000)));
  await t.rejects(client.bulk(''), { message: 'POST /_bulk: it is not JSON' });
  answer = response => response.end('[]');
  await t.rejects(client.bulk(''), { message: 'POST /_bulk: it is no JSON object' });
  answer = response => response.writeHead(502, { 'content-type': 'application/json' }).end('{');
  await t.rejects(client.bulk(''), { message: 'the answer has the status 502', status: 502, type: '' });
  answer = response => response.end('{"items":[null,{"index":{"status":201}},{"index":1}]}');
  t.strictSame(
    (await client.bulk('')).map(({ status }) => status),
    [0, 201, 0],
  );
});

t.test('another address is asked when one is unavailable', async t => {
  const [down, fake] = [new FakeOpenSearch(), new FakeOpenSearch()];
  down.refusesAll = { status: 503, type: '' };
  const addresses = [await down.listen(t), await fake.listen(t)];
  const client = new OpenSearchClient({ ...settingsFor(''), addresses });
  t.teardown(() => client.close());
  for (const name of ['a', 'b', 'c']) await client.createIndex(name);
  t.strictSame([...fake.created.keys()], ['a', 'b', 'c']);
});

t.test('an address that was down is asked again when the other one is unavailable', async t => {
  const [down, back] = [new FakeOpenSearch(), new FakeOpenSearch()];
  const addresses = [await down.listen(t), await back.listen(t)];
  const client = new OpenSearchClient({ ...settingsFor(''), addresses });
  t.teardown(() => client.close());
  back.close();
  for (const name of ['a', 'b', 'c']) await client.createIndex(name);
  t.strictSame([...down.created.keys()], ['a', 'b', 'c']);
  await back.listen(t, { port: Number(new URL(addresses[1] ?? '').port) });
  down.refusesAll = { status: 503, type: '' };
  for (const name of ['d', 'e', 'f']) await client.createIndex(name);
  t.strictSame([...back.created.keys()], ['d', 'e', 'f']);
});
