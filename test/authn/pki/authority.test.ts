import { execFileSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { createAuthority, issueClient, issueServing, loadAuthority } from '../../../authn/pki/authority.js';
import { fingerprint } from '../../../apimachinery/x509/certificate.js';
import { createKey } from '../../../apimachinery/x509/keys.js';
import { pem, pemBlocks } from '../../../apimachinery/x509/pem.js';
import type { Der } from '../../../apimachinery/x509/der.js';
import * as der from '../../../apimachinery/x509/der.js';
import { createRequest } from '../../../apimachinery/x509/create-request.js';
import { parseRequest } from '../../../apimachinery/x509/request.js';

const openssl = (args: readonly string[], input?: string): string =>
  execFileSync('openssl', args, { encoding: 'utf8', ...(input !== undefined && { input }), stdio: 'pipe' });

t.test('openssl verifies issued certificates', async t => {
  const dir = t.testdir();
  const at = (name: string): string => path.join(dir, name);
  const authority = await createAuthority('test-ca');
  const serving = await issueServing(authority, ['localhost', 'a.example.org', '127.0.0.1', '::1']);
  const client = await issueClient(authority, { name: 'jane', groups: ['devs', 'ops'], uid: '42' });
  fs.writeFileSync(at('ca.crt'), authority.certificate);
  fs.writeFileSync(at('serving.crt'), serving.certificate);
  fs.writeFileSync(at('client.crt'), client.certificate);

  for (const [purpose, file] of [
    ['sslserver', 'serving.crt'],
    ['sslclient', 'client.crt'],
  ] as const) {
    const said = openssl(['verify', '-x509_strict', '-purpose', purpose, '-CAfile', at('ca.crt'), at(file)]);
    t.equal(said.trim(), `${at(file)}: OK`, purpose);
  }
  const text = openssl(['x509', '-in', at('serving.crt'), '-noout', '-text']);
  t.match(text, 'DNS:localhost, DNS:a.example.org, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
  t.match(text, 'TLS Web Server Authentication');
  const subject = openssl(['x509', '-in', at('client.crt'), '-noout', '-subject', '-nameopt', 'RFC2253']);
  t.equal(subject.trim(), 'subject=CN=jane,1.3.6.1.4.1.57683.2=#0C023432,O=ops,O=devs');
  t.ok(new X509Certificate(client.certificate).checkPrivateKey(createPrivateKey(client.key)));
});

t.test('certificate requests of every key type are parsed, with their names', async t => {
  const dir = t.testdir();
  for (const kind of [
    ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
    ['rsa', '-pkeyopt', 'rsa_keygen_bits:2048'],
    ['ed25519'],
  ]) {
    const [algorithm = '', ...options] = kind;
    const key = path.join(dir, `${algorithm}.key`);
    openssl(['genpkey', '-algorithm', algorithm, ...options, '-out', key]);
    const subject = '/O=system:nodes/CN=system:node:n1';
    const names = 'subjectAltName=DNS:n1.local,IP:10.0.0.7,IP:fd00::7,email:a@b.c,URI:spiffe://x/y';
    const csr = openssl(['req', '-new', '-key', key, '-subj', subject, '-addext', names]);
    const request = parseRequest(csr);
    t.same(request.subject, { name: 'system:node:n1', groups: ['system:nodes'], uids: [] });
    t.same(request.dnsNames, ['n1.local']);
    t.same(request.ipAddresses, ['10.0.0.7', 'fd00::7']);
    t.same(request.emailAddresses, ['a@b.c']);
    t.same(request.uris, ['spiffe://x/y']);
  }
});

t.test('openssl reads generated requests, and forged ones are refused', async t => {
  const key = await createKey();
  const csr = createRequest({ name: 'jane', groups: ['devs'] }, key, ['x.local', '10.1.2.3']);
  t.match(openssl(['req', '-verify', '-noout', '-text'], csr), 'DNS:x.local, IP Address:10.1.2.3');
  const der = pemBlocks(csr)[0]?.der ?? Buffer.alloc(0);
  t.equal(parseRequest(csr).subject.name, 'jane');
  const at = der.indexOf('jane');
  der.write('john', at);
  t.throws(() => parseRequest(pem('CERTIFICATE REQUEST', der)), /signature is invalid/);
  t.throws(() => parseRequest(pem('CERTIFICATE REQUEST', Buffer.from('nonsense'))));
  t.throws(() => parseRequest('nonsense'), { message: 'PEM block type must be CERTIFICATE REQUEST' });
});

t.test('a request that is too long is refused before it is decoded', async t => {
  const nulls = (count: number): string => {
    const head = Buffer.from([0x30, 0x83, 0, 0, 0]);
    head.writeUIntBE(2 * count, 2, 3);
    return pem('CERTIFICATE REQUEST', Buffer.concat([head, Buffer.alloc(2 * count, Buffer.from([0x05, 0x00]))]));
  };
  t.throws(() => parseRequest(nulls(1000)), { message: 'DER: a constructed value was expected' });
  t.throws(() => parseRequest(nulls(16_400)), { message: 'x509: certificate request is longer than 32768 bytes' });
  t.throws(() => parseRequest(nulls(700_000)), {
    message: 'x509: certificate request in PEM is longer than 49152 characters',
  });
  const key = await createKey();
  const names = Array.from({ length: 500 }, (_, i) => `host-${i}.example.com`);
  t.equal(parseRequest(createRequest({ name: 'jane', groups: [] }, key, names)).dnsNames.length, 500);
});

t.test('addresses of a request have 4 or 16 bytes', async t => {
  const key = await createKey();
  const read = (...args: [readonly string[], Der?]) =>
    parseRequest(createRequest({ name: 'jane', groups: [] }, key, ...args));
  t.same(read(['10.1.2.3', 'x.local', '2001:DB8:0::1']).ipAddresses, ['10.1.2.3', '2001:db8::1']);
  const names = der.sequence(der.tagged(7, Uint8Array.of(1, 2, 3, 4, 5)));
  t.throws(() => read([], names), { message: 'x509: cannot parse IP address of length 5' });
});

t.test('an imported RSA authority can sign', async t => {
  const dir = t.testdir();
  const at = (name: string): string => path.join(dir, name);
  openssl([
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', at('ca.key'), '-out', at('ca.crt')],
    ...['-subj', '/C=DE/O=Old Corp/CN=Old CA', '-days', '100'],
  ]);
  const authority = loadAuthority({
    certificate: fs.readFileSync(at('ca.crt'), 'utf8'),
    key: fs.readFileSync(at('ca.key'), 'utf8'),
  });
  const client = await issueClient(authority, { name: 'x' }, { days: 3650 });
  fs.writeFileSync(at('x.crt'), client.certificate);
  t.match(openssl(['verify', '-CAfile', at('ca.crt'), at('x.crt')]), 'OK');
  t.equal(
    new X509Certificate(client.certificate).validTo,
    authority.x509.validTo,
    'a certificate does not outlive its authority',
  );
  const alien = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  t.throws(() => loadAuthority({ certificate: authority.certificate, key: alien.toString() }), /does not belong/);
});

t.test('fingerprints are those of openssl', async t => {
  const authority = await createAuthority();
  const said = openssl(['x509', '-noout', '-fingerprint', '-sha256'], authority.certificate);
  t.equal(fingerprint(authority.x509), said.trim().split('=')[1]?.replaceAll(':', '').toLowerCase());
});
