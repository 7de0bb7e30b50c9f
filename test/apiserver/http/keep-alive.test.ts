/** TCP notices that the machine of a client is gone, also while nothing is sent to it. */
import { once } from 'node:events';
import fs from 'node:fs';
import tls from 'node:tls';
import t from 'tap';
import { runningServer } from '../running.js';

const table = '/proc/net/tcp';
const skip = fs.existsSync(table) ? false : 'this system does not show the timers of connections';
/** What the table calls the timer that is running: the one until TCP asks for a sign of life. */
const keepAliveTimer = '02';
const established = '01';

t.test('the connections of clients are kept alive by TCP', { skip }, async t => {
  const { port, host, pki } = await runningServer(t);
  const client = tls.connect({ port, host, ca: pki.authority.certificate });
  t.teardown(() => client.destroy());
  await once(client, 'secureConnect');
  const end = (address: number): string => `:${address.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = fs
    .readFileSync(table, 'latin1')
    .split('\n')
    .map(line => line.trim().split(/\s+/))
    .filter(
      ([, local = '', remote = '', state]) =>
        local.endsWith(end(port)) && remote.endsWith(end(client.localPort ?? 0)) && state === established,
    );
  t.equal(rows.length, 1);
  t.equal(rows[0]?.[5]?.split(':')[0], keepAliveTimer);
});
