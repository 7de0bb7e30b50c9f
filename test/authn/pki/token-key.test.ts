import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { PkiFileError } from '../../../authn/pki/read-files.js';
import { tokenKey } from '../../../authn/pki/token-key.js';

t.test('a signing key is created on first use, and reused', async t => {
  const folder = t.testdir();
  const key = await tokenKey(folder, 'ES256');
  t.equal(key.known, undefined);
  await key.settled();
  t.same(fs.readdirSync(folder), [], 'it has not been used yet');
  const [first, second] = await Promise.all([key.get(), key.get()]);
  t.equal(first, second, 'it is made once');
  t.equal(key.known, first);
  t.same(fs.readdirSync(folder).sort(), ['sa.key', 'sa.pub']);
  t.equal((await tokenKey(folder, 'RS256')).known, first, 'another start finds it');
});

t.test('settled resolves when a key that is being created is written', async t => {
  const folder = t.testdir();
  const key = await tokenKey(folder, 'ES256');
  const asked = key.get();
  await key.settled();
  t.equal(fs.readFileSync(path.join(folder, 'sa.key'), 'utf8'), await asked);
});

t.test('a failed write of the key is retried at the next use', async t => {
  const folder = path.join(t.testdir(), 'later');
  const key = await tokenKey(folder, 'ES256');
  const asked = key.get();
  await key.settled();
  await t.rejects(asked, { code: 'ENOENT' });
  t.equal(key.known, undefined);
  fs.mkdirSync(folder);
  t.match(await key.get(), 'PRIVATE KEY');
});

t.test('a file without a key is refused', async t => {
  const folder = t.testdir({ 'sa.key': 'nonsense' });
  const error: unknown = await tokenKey(folder, 'ES256').catch((error: unknown) => error);
  t.type(error, PkiFileError);
  t.match(error, { message: /sa\.key: / });
});
