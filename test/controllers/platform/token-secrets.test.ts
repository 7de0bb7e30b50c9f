/** Secrets of service account tokens, and their accounts. as pkg/controller/serviceaccount TokensController */
import t, { type Test } from 'tap';
import { toBase64 } from '../../../apimachinery/codec/base64.js';
import { tokenAuthority } from '../../../authn/identity/service-account/authority.js';
import { find } from '../../../client/find.js';
import { startServiceAccountTokens } from '../../../controllers/platform/service-account-tokens.js';
import { secretText } from '../../../kinds/kubernetes/core/config/secret-text.js';
import { core, object } from '../../aggregation/fleet.js';
import type { TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { runningControllers } from '../one-controller.js';

const [secrets, accounts] = [core('secrets'), core('serviceaccounts')];
const namespace = 'default';
const nobody = '00000000-0000-4000-8000-000000000000';

const issuing = (t: Test): Promise<TestServer> =>
  runningControllers(t, (context, { pki }) => startServiceAccountTokens(context, tokenAuthority(pki)));

const addAccount = ({ client }: TestServer, name: string, more: object = {}) =>
  client.create(accounts, object('v1', 'ServiceAccount', name, { metadata: { namespace }, ...more }));

/** Creates a Secret for the tokens of the account `robot`. */
const addSecret = ({ client }: TestServer, name: string, data: Record<string, string> = {}, uid?: string) => {
  const annotations = {
    'kubernetes.io/service-account.name': 'robot',
    ...(uid && { 'kubernetes.io/service-account.uid': uid }),
  };
  const type = 'kubernetes.io/service-account-token';
  return client.create(secrets, object('v1', 'Secret', name, { metadata: { namespace, annotations }, type, data }));
};

const secretOf = ({ client }: TestServer, name: string) => find(client, secrets, { namespace, name });

t.test('a Secret keeps what it has, and gets what is missing or empty', async t => {
  const server = await issuing(t);
  const { metadata } = await addAccount(server, 'robot');
  const jwt = /^[\w-]+\.[\w-]+\.[\w-]+$/;
  const table: { name: string; data: Record<string, string>; token: RegExp; place: string }[] = [
    { name: 'without-data', data: {}, token: jwt, place: namespace },
    { name: 'with-empty-data', data: { token: '', namespace: '' }, token: jwt, place: namespace },
    { name: 'with-a-token', data: { token: toBase64('mine') }, token: /^mine$/, place: namespace },
    { name: 'with-a-namespace', data: { namespace: toBase64('elsewhere') }, token: jwt, place: 'elsewhere' },
  ];
  for (const { name, data } of table) await addSecret(server, name, data);
  for (const { name, token, place } of table) {
    await until(`${name} is filled`, async () => secretText(await secretOf(server, name), 'ca.crt') !== undefined);
    const secret = await secretOf(server, name);
    t.match(secretText(secret, 'token'), token, name);
    t.equal(secretText(secret, 'namespace'), place, name);
    t.equal(secretText(secret, 'ca.crt'), server.pki.authority.certificate, name);
    t.equal(secret?.metadata.annotations?.['kubernetes.io/service-account.uid'], metadata.uid, name);
  }
});

t.test('a Secret of another account of the same name is deleted', async t => {
  const server = await issuing(t);
  const { metadata } = await addAccount(server, 'robot');
  await addSecret(server, 'of-a-former-account', {}, nobody);
  await addSecret(server, 'of-this-account', {}, metadata.uid);
  await until('the first goes', async () => (await secretOf(server, 'of-a-former-account')) === undefined);
  await until(
    'the second is filled',
    async () => secretText(await secretOf(server, 'of-this-account'), 'token') !== undefined,
  );
});

t.test('the account of a deleted Secret does not refer to it any more', async t => {
  const server = await issuing(t);
  const { client } = server;
  await addAccount(server, 'robot', { secrets: [{ name: 'first' }, { name: 'second' }] });
  await addAccount(server, 'other', { secrets: [{ name: 'first' }] });
  await addSecret(server, 'first');
  await addSecret(server, 'third');
  for (const name of ['third', 'first']) {
    await until(`${name} is filled`, async () => secretText(await secretOf(server, name), 'token') !== undefined);
    await client.delete(secrets, { namespace, name });
  }
  const references = async (name: string): Promise<unknown> =>
    (await client.get(accounts, { namespace, name }))['secrets'];
  await until('the reference goes', async () => JSON.stringify(await references('robot')) === '[{"name":"second"}]');
  t.same(await references('other'), [{ name: 'first' }], 'the Secret was not of this account');
});

t.test('the Secrets of a deleted account go, also if it is replaced at once', async t => {
  const server = await issuing(t);
  const { client } = server;
  await addAccount(server, 'robot');
  await addSecret(server, 'token');
  await until('it is filled', async () => secretText(await secretOf(server, 'token'), 'token') !== undefined);
  await client.delete(accounts, { namespace, name: 'robot' });
  await addAccount(server, 'robot');
  await until('it goes', async () => (await secretOf(server, 'token')) === undefined);
});
