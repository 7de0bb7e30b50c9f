import { X509Certificate } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { silent } from '../../../server/logger.js';
import { keepRenewed } from '../../../authn/pki/renewal.js';
import { loadOrCreate } from '../../../authn/pki/files.js';
import { issueClient, issueServing } from '../../../authn/pki/authority.js';
import { renewalTime } from '../../../authn/pki/rotation.js';
import { type Clock, systemClock } from '../../../lib/clock.js';
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
  const renewed = await new Promise<string>(resolve =>
    keepRenewed({
      ...{ directory, hosts, log: silent, clock: systemClock },
      pki: { ...made, serving },
      signal: stopping.signal,
      renew: certificate => resolve(certificate),
    }),
  );
  stopping.abort();
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
  await new Promise<void>(resolve =>
    keepRenewed({
      ...{ directory, hosts, log: silent, clock: systemClock, pki },
      signal: stopping.signal,
      renew: () => t.fail('the serving certificate is not due'),
      onAdminRenewed: () => Promise.resolve(resolve()),
    }),
  );
  stopping.abort();
  t.not(pki.admin.certificate, old.certificate);
  t.equal(pki.admin.certificate, await fs.readFile(path.join(directory, 'admin.crt'), 'utf8'));
  t.equal(pki.admin.key, await fs.readFile(path.join(directory, 'admin.key'), 'utf8'));
});

t.test('a certificate is renewed when it is due, also if the timer fires early', async t => {
  const directory = await temporaryFolder(t);
  const hosts = ['localhost'];
  const made = await loadOrCreate(directory, { hosts });
  // It is due before the other certificates.
  const old = new Date(Date.now() - 100 * 24 * 3600 * 1000);
  const serving = await issueServing(made.authority, hosts, { now: old });
  await fs.writeFile(path.join(directory, 'apiserver.crt'), serving.certificate);
  await fs.writeFile(path.join(directory, 'apiserver.key'), serving.key);
  const due = renewalTime(new X509Certificate(serving.certificate)).getTime();
  let now = Date.now();
  let sleeps = 0;
  const clock: Clock = {
    now: () => now,
    sleep: milliseconds => {
      now += sleeps++ === 0 ? milliseconds - 1 : milliseconds;
      return Promise.resolve();
    },
  };
  const stopping = new AbortController();
  const renewedAt = await new Promise<number>(resolve =>
    keepRenewed({
      ...{ directory, hosts, log: silent, clock, signal: stopping.signal },
      pki: { ...made, serving },
      renew: () => {
        stopping.abort();
        resolve(now);
      },
    }),
  );
  t.equal(renewedAt, due);
});
