import type os from 'node:os';
import t from 'tap';
import { advertisedHost } from '../../server/advertised-host.js';
import { httpClient } from '../apiserver/http-client.js';
import { runningServer } from '../apiserver/running.js';

const at = (address: string, more: object = {}) => ({ address, internal: false, ...more }) as os.NetworkInterfaceInfo;

const loopback = { lo: [at('127.0.0.1', { internal: true }), at('::1', { internal: true })] };
const network = { ...loopback, eth0: [at('fe80::1', { scopeid: 2 }), at('2001:db8::5'), at('192.0.2.5')] };
const onlySix = { ...loopback, eth0: [at('fe80::1', { scopeid: 2 }), at('2001:db8::5')] };

t.test('the advertised host follows the listen address and the interfaces', t => {
  const rows = [
    { given: '127.0.0.1', on: network, expect: '127.0.0.1' },
    { given: '192.0.2.77', on: network, expect: '192.0.2.77' },
    { given: 'host.example.com', on: network, expect: 'host.example.com' },
    { given: '0.0.0.0', on: network, expect: '192.0.2.5' },
    { given: '::', on: network, expect: '192.0.2.5' },
    { given: '0:0:0:0:0:0:0:0', on: onlySix, expect: '2001:db8::5' },
    { given: '0.0.0.0', on: onlySix, expect: '127.0.0.1' },
    { given: '0.0.0.0', on: loopback, expect: '127.0.0.1' },
    { given: '::', on: loopback, expect: '::1' },
  ];
  for (const { given, on, expect } of rows) t.equal(advertisedHost(given, on), expect, `${given} is ${expect}`);
  t.end();
});

t.test('a server on all addresses can be reached at the address that it advertises', async t => {
  const server = await runningServer(t, { listen: { host: '0.0.0.0', port: 0 } });
  t.equal(server.url, `https://${advertisedHost('0.0.0.0')}:${server.port}`);
  const ask = httpClient(t, { ...server, host: new URL(server.url).hostname });
  t.match(await ask('GET /readyz'), { status: 200 });
});
