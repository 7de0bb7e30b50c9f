import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import t from 'tap';
import { trustOf } from '../../../../aggregation/remote/transport/trust.js';
import { createAuthority, issueServing } from '../../../../authn/pki/authority.js';
import { turnsDuring } from '../../../turns.js';

t.test('a bundle of 200 certificates is read in several turns, and its last certificate is trusted', async t => {
  const authority = await createAuthority('last');
  const others = await Promise.all(Array.from({ length: 199 }, (_, i) => createAuthority(`other-${i}`)));
  const { certificate: cert, key } = await issueServing(authority, ['localhost']);
  const server = tls.createServer({ cert, key }, socket => socket.end()).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const bundle = others.map(({ certificate }) => certificate).join('');
  const whole = bundle + authority.certificate;
  const { count, longest } = await turnsDuring(25, () => trustOf({ ca: whole }).ready);
  t.ok(longest < 25, `${longest} ms`);
  t.ok(count > 2, 'other work runs in between');

  const connectedWith = async (ca: string): Promise<string> => {
    const { secureContext, ready } = trustOf({ ca });
    await ready;
    const socket = tls.connect({ port, host: '127.0.0.1', servername: 'localhost', secureContext });
    t.teardown(() => socket.destroy());
    return Promise.race([
      once(socket, 'secureConnect').then(() => 'trusted'),
      once(socket, 'error').then(([error]: unknown[]) => (error as NodeJS.ErrnoException).code ?? ''),
    ]).catch((error: unknown) => (error as NodeJS.ErrnoException).code ?? '');
  };
  t.equal(await connectedWith(whole), 'trusted');
  t.equal(await connectedWith(authority.certificate), 'trusted');
  t.match(await connectedWith(bundle), /UNABLE_TO/);
});
