import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import type { Test } from 'tap';
import { temporaryFolder } from '../folder.js';

/** Returns both ends of a Unix socket. */
export async function socketPair(t: Test): Promise<[net.Socket, net.Socket]> {
  const file = path.join(await temporaryFolder(t), 's');
  const server = net.createServer().listen(file);
  await once(server, 'listening');
  const near = net.connect(file);
  const [[far]] = (await Promise.all([once(server, 'connection'), once(near, 'connect')])) as [[net.Socket], unknown];
  server.close();
  t.teardown(() => {
    near.destroy();
    far.destroy();
  });
  return [near, far];
}
