import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { PkiFileError } from '../../../authn/pki/read-files.js';
import { tokenKey } from '../../../authn/pki/token-key.js';

t.test('a key is made when it is asked for, and then is the one', async t => {
  const folder = t.testdir();
  const key = await tokenKey(folder, 'ES256');
  t.equal(key.known, undefined);
  await key.settled();
  t.same(fs.readdirSync(folder), [], 'nobody asked');
  const [first, second] = await Promise.all([key.get(), key.get()]);
  t.equal(first, second, 'it is made once');
  t.equal(key.known, first);
  t.same(fs.readdirSync(folder).sort(), ['sa.key', 'sa.pub']);
  t.equal((await tokenKey(folder, 'RS256')).known, first, 'another start finds it');
});

t.test('settled when what is being made is written', async t => {
  const folder = t.testdir();
  const key = await tokenKey(folder, 'ES256');
  const asked = key.get();
  await key.settled();
  t.equal(fs.readFileSync(path.join(folder, 'sa.key'), 'utf8'), await asked);
});

t.test('what cannot be written is tried again when it is asked for again', async t => {
  const folder = path.join(t.testdir(), 'later');
  const key = await tokenKey(folder, 'ES256');
  const asked = key.get();
  await key.settled();
  await t.rejects(asked, { code: 'ENOENT' });
  t.equal(key.known, undefined);
  fs.mkdirSync(folder);
  t.match(await key.get(), 'PRIVATE KEY');
});

t.test('a file that is no key', async t => {
  const folder = t.testdir({ 'sa.key': 'nonsense' });
  const error: unknown = await tokenKey(folder, 'ES256').catch((error: unknown) => error);
  t.type(error, PkiFileError);
  t.match(error, { message: /sa\.key: / });
});
