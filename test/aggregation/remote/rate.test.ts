/** The rate of requests to another server. */
import process from 'node:process';
import t, { type Test } from 'tap';
import type { RemoteClient } from '../../../aggregation/interface.js';
import { remote } from '../../../aggregation/remote/client.js';
import { maxWaiting } from '../../../aggregation/remote/limits.js';
import type { TokenRate } from '../../../lib/token-bucket.js';
import { until } from '../../storage/until.js';
import { backend } from '../backend.js';

async function clientWith(t: Test, rate: TokenRate): Promise<RemoteClient> {
  const { url, authority } = await backend(t);
  const client = remote({ server: url, ca: authority }, { userAgent: 'test/1.0', rate, attempts: 1 });
  t.teardown(() => client.close());
  return client;
}

const get = (client: RemoteClient, path: string, signal?: AbortSignal): Promise<number> =>
  client.raw({ method: 'GET', path, ...(signal && { signal }) }).then(({ status }) => status);

t.test('probes do not wait for the rate of requests', async t => {
  const client = await clientWith(t, { perSecond: 0.001, burst: 1 });
  t.equal(await get(client, '/api'), 200);
  const connections = 32;
  const waiting = Array.from({ length: connections + maxWaiting }, () => get(client, '/api').catch(() => 'broken off'));
  await t.rejects(get(client, '/api'), { code: 429 });
  for (const path of ['/readyz', '/livez', '/healthz', '/version']) t.equal(await get(client, path), 200, path);
  await client.close();
  t.ok((await Promise.all(waiting)).every(result => result === 'broken off'));
});

t.test('many requests that wait are no leak of listeners', async t => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', onWarning);
  t.teardown(() => process.off('warning', onWarning));
  const server = await backend(t);
  const limited = await clientWith(t, { perSecond: 0.001, burst: 1 });
  t.equal(await get(limited, '/api'), 200);
  const early = Array.from({ length: 50 }, () => get(limited, '/api').catch(() => 'broken off'));
  let refused = 0;
  server.onRequest = (_request, response) => {
    refused++;
    response.writeHead(429, { 'retry-after': '30' }).end();
  };
  const repeating = remote({ server: server.url, ca: server.authority }, { userAgent: 'test/1.0' });
  const pods = { group: '', version: 'v1', resource: 'pods' };
  const late = Array.from({ length: 50 }, () => repeating.get(pods, { name: 'p' }).catch(() => 'broken off'));
  await until('all are refused', () => refused >= 50);
  await Promise.all([limited.close(), repeating.close()]);
  await Promise.all([...early, ...late]);
  t.strictSame(warnings, []);
});

t.test('requests that are broken off while they wait take nothing of the rate', async t => {
  const client = await clientWith(t, { perSecond: 1, burst: 1 });
  t.equal(await get(client, '/api'), 200);
  const stop = new AbortController();
  const waiting = Array.from({ length: 1000 }, () => get(client, '/api', stop.signal).catch(() => 'broken off'));
  stop.abort();
  t.ok((await Promise.all(waiting)).every(result => result === 'broken off'));
  t.equal(await get(client, '/api'), 200, 'the next request waits for a second, and not for a thousand');
});
