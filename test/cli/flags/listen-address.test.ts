import t from 'tap';
import { parseListenAddress, parsePort } from '../../../cli/flags/listen-address.js';

t.test('an address has a port, and a host unless it stands for all addresses', async t => {
  t.strictSame(parseListenAddress('bind', '127.0.0.1:5443'), { host: '127.0.0.1', port: 5443 });
  t.strictSame(parseListenAddress('bind', ':0'), { port: 0 });
  t.strictSame(parseListenAddress('bind', '[::1]:80'), { host: '::1', port: 80 });
  t.strictSame(parseListenAddress('bind', 'host.name:65535'), { host: 'host.name', port: 65_535 });
  for (const wrong of ['', '0', 'host', 'host:', 'host:65536', '::1:80', 'host:x', 'host:-1'])
    t.throws(() => parseListenAddress('bind', wrong), {
      message: `invalid value "${wrong}" for --bind: want HOST:PORT, with a port up to 65535`,
    });
});

t.test('a port has 16 bits', async t => {
  t.strictSame(
    [0, 65_535].map(port => parsePort('server-port', port)),
    [0, 65_535],
  );
  for (const wrong of [-1, 65_536])
    t.throws(() => parsePort('server-port', wrong), {
      message: `invalid value "${wrong}" for --server-port: must be a valid port between 0 and 65535 inclusive`,
    });
});
