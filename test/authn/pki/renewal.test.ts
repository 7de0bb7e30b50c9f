import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { silent } from '../../../server/logger.js';
import { keepRenewed } from '../../../authn/pki/renewal.js';
import { loadOrCreate } from '../../../authn/pki/files.js';
import { issueClient, issueServing } from '../../../authn/pki/authority.js';
import { temporaryFolder } from '../../apiserver/running.js';

t.test('a certificate is renewed before it expires, while the server runs', async t => {
  const directory = await temporaryFolder(t);
  const hosts = ['localhost'];
  const made = await loadOrCreate(directory, { hosts });
  const old = new Date(Date.now() - 400 * 24 * 3600 * 1000);
  const serving = await issueServing(made.authority, hosts, { now: old });
  await fs.writeFile(path.join(directory, 'apiserver.crt'), serving.certificate);
  await fs.writeFile(path.join(directory, 'apiserver.key'), serving.key);
  const stopping = new AbortController();
  const alive = setInterval(() => undefined, 1000); // a pending renewal does not keep the process alive
  const renewed = await new Promise<string>(resolve =>
    keepRenewed({
      ...{ directory, hosts, log: silent },
      pki: { ...made, serving },
      signal: stopping.signal,
      renew: certificate => resolve(certificate),
    }),
  );
  stopping.abort();
  clearInterval(alive);
  t.not(renewed, serving.certificate);
  t.equal(renewed, await fs.readFile(path.join(directory, 'apiserver.crt'), 'utf8'));
});

t.test('the certificate of the administrator is renewed, too', async t => {
  const directory = await temporaryFolder(t);
  const hosts = ['localhost'];
  const made = await loadOrCreate(directory, { hosts });
  const subject = { name: 'system:admin', groups: ['system:masters'] };
  const old = await issueClient(made.authority, subject, { now: new Date(Date.now() - 350 * 24 * 3600 * 1000) });
  await fs.writeFile(path.join(directory, 'admin.crt'), old.certificate);
  await fs.writeFile(path.join(directory, 'admin.key'), old.key);
  const pki = { ...made, admin: old };
  const stopping = new AbortController();
  const alive = setInterval(() => undefined, 1000);
  await new Promise<void>(resolve =>
    keepRenewed({
      ...{ directory, hosts, log: silent, pki },
      signal: stopping.signal,
      renew: () => t.fail('the serving certificate is not due'),
      onAdminRenewed: () => Promise.resolve(resolve()),
    }),
  );
  stopping.abort();
  clearInterval(alive);
  t.not(pki.admin.certificate, old.certificate);
  t.equal(pki.admin.certificate, await fs.readFile(path.join(directory, 'admin.crt'), 'utf8'));
  t.equal(pki.admin.key, await fs.readFile(path.join(directory, 'admin.key'), 'utf8'));
});
