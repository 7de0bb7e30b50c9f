/** A running process renews the certificate of its kubeconfig, and accepts the former one until its end. */
import { X509Certificate } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import { issueClient } from '../../authn/pki/authority.js';
import { loadOrCreate } from '../../authn/pki/files.js';
import { renewalTime } from '../../authn/pki/rotation.js';
import { apiClient } from '../conformance/call.js';
import { temporaryFolder } from '../storage/folder.js';
import { until } from '../storage/until.js';
import { up } from './process.js';

/** Milliseconds until the certificate is due. A process that has started by then does not renew it at its start. */
const dueMs = 15_000;

t.test('the kubeconfig of a running process is written again before its certificate expires', async t => {
  const directory = await temporaryFolder(t);
  const pki = path.join(directory, 'pki');
  const { authority } = await loadOrCreate(pki, { hosts: ['localhost', '127.0.0.1'] });
  const subject = { name: 'system:admin', groups: ['system:masters'] };
  const life = { days: 1 };
  const sample = await issueClient(authority, subject, { ...life, now: new Date(0) });
  const now = new Date(Date.now() + dueMs - renewalTime(new X509Certificate(sample.certificate)).getTime());
  const old = await issueClient(authority, subject, { ...life, now });
  await fs.writeFile(path.join(pki, 'admin.key'), old.key);
  await fs.writeFile(path.join(pki, 'admin.crt'), old.certificate);

  const { server } = await up(t, directory, '--controllers=-*'); // a client with the certificate of the start
  const file = path.join(directory, 'kubeconfig');
  const present = () => kubeconfigEndpoint(file).clientCertificate;
  t.equal(present(), old.certificate);
  await until('the kubeconfig is written again', () => present() !== old.certificate);
  const renewed = apiClient(kubeconfigEndpoint(file), 'test/1.0');
  t.teardown(() => renewed.close());
  const paths = ['/api/v1/namespaces', '/apis/search.karmada.io/v1alpha1/proxying/karmada/proxy/version'];
  for (const client of [server, renewed])
    for (const path of paths) t.equal((await client.call('GET', path)).status, 200);
});
