import t from 'tap';
import { httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

t.test('statusz and flagz', async t => {
  const server = await runningServer(t, { version: '1.2.3', flags: { bind: '127.0.0.1:0', 'data-dir': '/x' } });
  const ask = httpClient(t, server);
  const status = await ask('GET /statusz');
  t.match(status, { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  t.match(status.text, /^\n\S+ statusz\nWarning: This endpoint/);
  t.match(status.text, /^Up: 0 hr 00 min \d\d sec$/m);
  t.match(status.text, /^Binary version: 1\.36\.\d+$/m);
  t.match(status.text, /^Flagship version: 1\.2\.3$/m);
  t.notMatch(status.text, /Go version/);
  t.match((await ask('GET /metrics')).text, /^flagship_build_info\{version="1\.2\.3",[^}]*\} 1$/m);
  t.match(status.text, /^Paths: .*\/readyz/m);
  const flags = await ask('GET /flagz', { accept: '*/*' });
  t.match(flags.text, /bind=127\.0\.0\.1:0\ndata-dir=\/x\n$/);
  const json = 'application/json;v=v1beta1;g=config.k8s.io;as=Flagz';
  t.match((await ask('GET /flagz', { accept: json })).json, {
    kind: 'Flagz',
    apiVersion: 'config.k8s.io/v1beta1',
    flags: { bind: '127.0.0.1:0' },
  });
  const structured = await ask('GET /statusz', { accept: json.replace('Flagz', 'Statusz') });
  t.match(structured.json, { kind: 'Statusz', binaryVersion: /^1\.36/, emulationVersion: '1.36', paths: Array });
  t.equal((await ask('GET /statusz', { accept: 'application/json' })).status, 406);
  t.equal((await ask('GET /flagz', { headers: { 'impersonate-user': 'jane' } })).status, 403);
});
