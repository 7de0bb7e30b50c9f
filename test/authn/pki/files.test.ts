import { createPrivateKey, X509Certificate } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { loadOrCreate } from '../../../authn/pki/files.js';
import { kubeconfig } from '../../../authn/pki/kubeconfig.js';
import { renewalTime } from '../../../authn/pki/rotation.js';

const hosts = ['localhost', '127.0.0.1', '::1'];

t.test('certificates and keys are created once in the folder and then read', async t => {
  const dir = path.join(t.testdir(), 'pki');
  const first = await loadOrCreate(dir, { hosts });
  t.equal(first.tokenKey.known, undefined);
  const key = await first.tokenKey.get();
  t.same(fs.readdirSync(dir).sort(), [
    ...['admin.crt', 'admin.key', 'apiserver.crt', 'apiserver.key', 'ca.crt', 'ca.key', 'front-proxy-ca.crt'],
    ...['front-proxy-ca.key', 'front-proxy-client.crt', 'front-proxy-client.key', 'sa.key', 'sa.pub'],
  ]);
  for (const file of fs.readdirSync(dir)) t.equal(fs.statSync(path.join(dir, file)).mode & 0o777, 0o600, file);
  const second = await loadOrCreate(dir, { hosts });
  t.equal(second.authority.certificate, first.authority.certificate);
  t.same([second.serving, second.admin, second.frontProxyClient], [first.serving, first.admin, first.frontProxyClient]);
  t.equal(second.tokenKey.known, key);
  t.equal(await second.tokenKey.get(), key);
  t.equal(createPrivateKey(key).asymmetricKeyType, 'rsa', 'tokens are signed with RS256');
});

t.test('leaf certificates are replaced if they are not usable any more, the authority stays', async t => {
  const dir = t.testdir();
  const first = await loadOrCreate(dir, { hosts });
  const moved = await loadOrCreate(dir, { hosts: [...hosts, '10.0.0.1', 'api.example.org'] });
  t.not(moved.serving.certificate, first.serving.certificate, 'other hosts');
  t.equal(moved.admin.certificate, first.admin.certificate);
  const now = renewalTime(new X509Certificate(first.admin.certificate));
  const later = await loadOrCreate(dir, { hosts, now });
  t.not(later.admin.certificate, first.admin.certificate, 'close to the end');
  t.equal(later.authority.certificate, first.authority.certificate);
  for (const name of ['ca.crt', 'ca.key']) fs.unlinkSync(path.join(dir, name));
  const other = await loadOrCreate(dir, { hosts });
  t.not(other.serving.certificate, moved.serving.certificate, 'another authority');
  fs.unlinkSync(path.join(dir, 'ca.key'));
  await t.rejects(loadOrCreate(dir, { hosts }), /ca.crt has no ca.key/);
});

t.test('a kubeconfig has the certificates of the folder', async t => {
  const credential = { certificate: 'CERT', key: 'KEY' };
  const text = kubeconfig([
    { name: 'karmada-apiserver', server: 'https://h:1', authority: 'CA', user: { credential } },
    { name: 'bare', server: 'https://h:2', tlsServerName: 'x', namespace: 'n', user: { token: 't' } },
  ]);
  t.same(parse(text), {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'karmada-apiserver', cluster: { 'certificate-authority-data': 'Q0E=', server: 'https://h:1' } },
      { name: 'bare', cluster: { 'insecure-skip-tls-verify': true, server: 'https://h:2', 'tls-server-name': 'x' } },
    ],
    contexts: [
      { name: 'karmada-apiserver', context: { cluster: 'karmada-apiserver', user: 'karmada-apiserver' } },
      { name: 'bare', context: { cluster: 'bare', namespace: 'n', user: 'bare' } },
    ],
    'current-context': 'karmada-apiserver',
    preferences: {},
    users: [
      { name: 'karmada-apiserver', user: { 'client-certificate-data': 'Q0VSVA==', 'client-key-data': 'S0VZ' } },
      { name: 'bare', user: { token: 't' } },
    ],
  });
});
