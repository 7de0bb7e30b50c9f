/** /debug/pprof/ and /debug/flags/. */
import https from 'node:https';
import t from 'tap';
import { silent } from '../../../server/logger.js';
import { httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

t.test('profiling is disabled', async t => {
  const ask = httpClient(t, await runningServer(t));
  for (const path of ['/debug/pprof', '/debug/pprof/', '/debug/pprof/profile', '/debug/flags/v'])
    t.match(await ask(`GET ${path}`), { status: 404, text: '404 page not found\n' }, path);
});

t.test('profiles', async t => {
  const ask = httpClient(t, await runningServer(t, { profiling: true }));
  t.match(await ask('GET /debug/pprof'), { status: 302, headers: { location: '/debug/pprof/' } });
  t.match(await ask('GET /debug/pprof/'), {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    text: /href='profile\?seconds=30'.*href='heap\?/s,
  });
  t.match(await ask('GET /debug/pprof/symbol'), { status: 404, text: 'Unknown profile\n' });
  const stranger = { headers: { 'impersonate-user': 'jane' } };
  t.equal((await ask('GET /debug/pprof/profile?seconds=1', stranger)).status, 403);
  const taking = ask('GET /debug/pprof/profile?seconds=1');
  await ask('GET /version');
  const second = await ask('GET /debug/pprof/heap?seconds=1');
  t.match(second, { status: 500, text: /^Could not enable heap profiling: / }, 'one profile at a time');
  const profile = await taking;
  t.match(profile, {
    status: 200,
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="profile.cpuprofile"',
    },
  });
  t.match(profile.json, { nodes: [{ callFrame: { functionName: '(root)' } }], samples: Array, startTime: Number });
  t.notOk(profile.headers['x-kubernetes-pf-flowschema-uid'], 'the request occupies no seat');
  t.ok((await ask('GET /version')).headers['x-kubernetes-pf-flowschema-uid']);
  const heap = await ask('GET /debug/pprof/heap?seconds=1');
  t.match(heap.json, { head: { callFrame: {} } });
  t.notMatch((await ask('GET /')).text, /debug/, 'debug paths are not listed');
});

t.test('a client that disconnects ends its profile', async t => {
  const server = await runningServer(t, { profiling: true });
  const ask = httpClient(t, server);
  const { pki, host, port } = server;
  const identity = { ca: pki.authority.certificate, cert: pki.admin.certificate, key: pki.admin.key };
  const path = '/debug/pprof/profile?seconds=500';
  const leaving = https.get({ host, port, path, agent: false, ...identity }).on('error', () => undefined);
  const heap = async (): Promise<number> => (await ask('GET /debug/pprof/heap?seconds=1')).status;
  while ((await heap()) === 200); // until the other profile has started
  leaving.destroy();
  while ((await heap()) !== 200);
  t.pass();
});

t.test('the log level can be changed', async t => {
  const levels: string[] = [];
  const log = { ...silent, setLevel: (level: string) => void levels.push(level) };
  const ask = httpClient(t, await runningServer(t, { profiling: true, log }));
  const put = async (value: string) => ask('PUT /debug/flags/v', { body: value, type: 'text/plain' });
  t.match(await put('4'), {
    status: 200,
    text: 'successfully set klog.logging.verbosity to 4\n',
    headers: { 'x-content-type-options': 'nosniff' },
  });
  for (const value of ['0', '2', '9']) t.equal((await put(value)).status, 200);
  t.same(levels, ['debug', 'warn', 'info', 'debug']);
  t.match(await put('loud'), { status: 400, text: 'strconv.ParseUint: parsing "loud": invalid syntax\n' });
  t.match(await ask('GET /debug/flags/v'), { status: 406, text: 'unsupported http method\n' });
  t.match(await ask('GET /debug/flags'), { status: 200, text: /<tr>v<br>/ });
  const { status } = await ask('PUT /debug/flags/v', { body: '4', headers: { 'impersonate-user': 'jane' } });
  t.equal(status, 403);
});
