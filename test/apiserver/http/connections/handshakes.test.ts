/** TLS handshakes with long chains of certificates, which take long to verify. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import forge from 'node-forge';
import t, { type Test } from 'tap';
import { answer } from '../../../../apiserver/http/answer.js';
import { startApiServer } from '../../../../apiserver/http/api-server.js';
import { createAuthority, issueServing } from '../../../../authn/pki/authority.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const key = forge.pki.privateKeyFromPem(privateKey);

/** Returns certificates in PEM, each of which is issued by the next one. */
function chain(length: number): string {
  const certificates: string[] = [];
  for (let i = 0; i < length; i++) {
    const certificate = forge.pki.createCertificate();
    certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
    certificate.serialNumber = `0${i + 1}`.slice(-2);
    certificate.validity.notBefore = new Date(Date.now() - 60_000);
    certificate.validity.notAfter = new Date(Date.now() + 3_600_000);
    certificate.setSubject([{ name: 'commonName', value: `c${i}` }]);
    certificate.setIssuer([{ name: 'commonName', value: `c${Math.max(0, i - 1)}` }]);
    certificate.setExtensions([{ name: 'basicConstraints', cA: true, critical: true }]);
    certificate.sign(key, forge.md.sha256.create());
    certificates.unshift(forge.pki.certificateToPem(certificate));
  }
  return certificates.join('');
}

const authority = await createAuthority();
const serving = await issueServing(authority, ['localhost', '127.0.0.1']);
const longChain = chain(12);

async function start(t: Test) {
  const suspects: string[] = [];
  const server = await startApiServer({
    ...{ host: '127.0.0.1', port: 0, clientAuthorities: undefined },
    ...{ certificate: serving.certificate, key: serving.key },
    filters: [request => answer(request, 200, 'text/plain', Buffer.from('well'))],
    onBug: (_, error) => t.fail(String(error)),
    onLongChain: address => suspects.push(address),
  });
  t.teardown(() => server.stop(0));
  return { port: server.port, suspects };
}

interface Client {
  readonly port: number;
  /** An address of the loopback interface. */
  readonly from?: string;
  readonly cert?: string;
  /** Sent with the end of the handshake. */
  readonly padding?: number;
}

/** Sends one request over a connection of its own. Returns the first line of the answer, '' if the connection was closed without one. */
async function ask({ port, from = '127.0.0.1', cert, padding = 0 }: Client): Promise<string> {
  const client = cert === undefined ? {} : { cert, key: privateKey };
  const options = { host: '127.0.0.1', port, localAddress: from, ca: authority.certificate, ...client };
  const socket = tls.connect({ ...options, ALPNProtocols: ['http/1.1'] });
  let text = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.write(`GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx-padding: ${'x'.repeat(padding)}\r\n\r\n`);
  await new Promise(resolve => socket.on('close', resolve));
  return text.split('\r\n', 1)[0] ?? '';
}

const ok = 'HTTP/1.1 200 OK';
/** Bytes before the payload of a TLS record: type, version, length. */
const recordHeader = 5;

t.test('a client with a short chain is served, also if its first request is long', async t => {
  const { port, suspects } = await start(t);
  t.equal(await ask({ port }), ok);
  t.equal(await ask({ port, cert: chain(3) }), ok);
  t.equal(await ask({ port, cert: chain(3), padding: 60_000 }), ok);
  t.same(suspects, []);
});

t.test('after a long chain, the connections of its network wait, and those of others do not', async t => {
  const { port, suspects } = await start(t);
  t.equal(await ask({ port, from: '127.0.0.2', cert: longChain }), '', 'its connection is closed');
  t.same(suspects, ['127.0.0.2']);
  const order: string[] = [];
  const asked = async (name: string, client: Client): Promise<void> => {
    t.equal(await ask(client), ok, name);
    order.push(name);
  };
  const began = performance.now();
  const waiting = asked('the same network', { port, from: '127.0.0.2' });
  for (let i = 0; i < 5; i++) await asked('another network', { port, from: '127.0.0.3' });
  await waiting;
  t.equal(order.at(-1), 'the same network');
  t.ok(performance.now() - began > 500, 'it has waited');
  t.equal(await ask({ port, from: '127.0.0.2' }), ok, 'and does not wait again');
});

t.test('many long chains at once are one case of trouble', async t => {
  const { port, suspects } = await start(t);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => ask({ port, from: '127.0.0.4', cert: longChain })),
  );
  t.same(new Set(answers), new Set(['']));
  t.same(suspects, ['127.0.0.4'], 'it is told once');
});

/** Forwards connections to the port, and damages the last message of the client's handshake, which is short and comes after the certificates. */
async function damagingProxy(t: Test, port: number, from: string): Promise<number> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer(client => {
    const upstream = net.connect({ host: '127.0.0.1', port, localAddress: from });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => other.destroy());
    }
    upstream.pipe(client);
    let pending = Buffer.alloc(0);
    let sent = 0;
    client.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= recordHeader && pending.length >= recordHeader + pending.readUInt16BE(3)) {
        const record = pending.subarray(0, recordHeader + pending.readUInt16BE(3));
        pending = pending.subarray(record.length);
        if (sent > 16 * 1024 && record.length < 100) record[record.length - 1] = (record.at(-1) ?? 0) ^ 1;
        sent += record.length;
        upstream.write(record);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

t.test('a long chain in a handshake that fails counts, too', async t => {
  const { port, suspects } = await start(t);
  const proxy = await damagingProxy(t, port, '127.0.0.5');
  t.equal(await ask({ port: proxy, cert: chain(30) }), '');
  t.same(suspects, ['127.0.0.5']);
});
