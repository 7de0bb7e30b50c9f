import t from 'tap';
import { httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

t.test('the page of metrics has the bytes of all parts of the text', async t => {
  // Characters of one, two, three and four bytes, at each place where a long text may be divided.
  const long = Array.from({ length: 4 }, (_, i) => 'x'.repeat(i) + 'aéह\u{1f600}'.repeat(40_000));
  let parts: readonly string[] = [];
  const server = await runningServer(t, { allMetrics: () => Promise.resolve(parts) });
  const ask = httpClient(t, server);
  for (parts of [['one 1\n'], ['one 1', '\ntwo 2', '\n'], [...long, '\n']]) {
    const { status, headers, bytes } = await ask('GET /metrics');
    t.equal(status, 200);
    t.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
    t.ok(bytes.equals(Buffer.from(parts.join(''))), `${bytes.length} bytes`);
  }
  t.match(await ask('HEAD /metrics'), { status: 200, text: '' });
});
