/** Service account tokens that the cluster fills in asynchronously. */
import t from 'tap';
import { boundTokens, secretTokens } from '../../../aggregation/members/accounts.js';
import { joinCluster, otherNameOf } from '../../../aggregation/members/join.js';
import { resources } from '../../../api/karmada/well-known.js';
import { remote } from '../../../aggregation/remote/client.js';
import { issueClient } from '../../../authn/pki/authority.js';
import {
  isNotFound,
  notFound,
  plainError,
  serviceUnavailable,
  tooManyRequests,
} from '../../../apimachinery/errors/status.js';
import type { Client } from '../../../client/interface.js';
import { until } from '../../authn/serve.js';
import { controlPlane, core, grant, memberServer, object, rbac } from '../fleet.js';

const secrets = core('secrets');
const namespaces = core('namespaces');
const accounts = core('serviceaccounts');
const key = { namespace: 'default', name: 'karmada-edge' };

t.test('secretTokens waits for the token', async t => {
  const { client } = await memberServer(t); // a member server has no token controller
  const waiting = secretTokens(client, key.name, key.namespace);
  await until(() =>
    client.get(secrets, key).then(
      ({ metadata }) => metadata.annotations?.['kubernetes.io/service-account.name'] === key.name,
      (error: unknown) => !isNotFound(error),
    ),
  );
  await client.patch(secrets, key, { type: 'merge', patch: { metadata: { labels: { other: 'change' } } } });
  const data = { token: Buffer.from('the token').toString('base64') };
  await client.patch(secrets, key, { type: 'merge', patch: { data } });
  t.equal(await waiting, 'the token');
  t.equal(await secretTokens(client, key.name, key.namespace), 'the token', 'an existing token is used');
});

t.test('the wait for a token ends with its signal', async t => {
  const { client } = await memberServer(t);
  const stopping = new AbortController();
  const waiting = secretTokens(client, key.name, key.namespace, stopping.signal);
  const ended = t.rejects(waiting, { message: 'stopping' });
  const isThere = (): Promise<boolean> =>
    client.get(secrets, key).then(
      () => true,
      () => false,
    );
  await until(isThere);
  stopping.abort(new Error('stopping'));
  await ended;
  await t.rejects(secretTokens(client, key.name, key.namespace, stopping.signal), { message: 'stopping' });
});

t.test('a missing permission is reported at once', async t => {
  const member = await memberServer(t);
  const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create'] }];
  await member.client.create(
    rbac('clusterroles'),
    object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'makers', { rules }),
  );
  await grant(member.client, 'makers', { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }, 'makers');
  const { authority } = member.pki;
  const jane = await issueClient(authority, { name: 'jane', groups: [] });
  const identity = { clientCertificate: jane.certificate, clientKey: jane.key };
  const client = remote({ server: member.url, ca: authority.certificate, ...identity }, { userAgent: 'test/1.0' });
  t.teardown(() => client.close());
  await until(() =>
    client.get(secrets, key).then(
      () => false,
      error => isNotFound(error),
    ),
  );
  await t.rejects(secretTokens(client, key.name, key.namespace), {
    code: 403,
    message: /cannot list resource "secrets"/,
  });
});

t.test('a Cluster keeps how its member is reached, and a member has one name', async t => {
  const [{ client: control }, { client: member, url }] = await Promise.all([controlPlane(t), memberServer(t)]);
  const reach = { insecureSkipVerify: true, proxyUrl: 'http://127.0.0.1:3128' };
  const at = { name: 'edge', endpoint: url, authority: '', tokens: async () => 'token' };
  t.equal(await otherNameOf(member, control, 'edge'), undefined);
  await joinCluster({ ...at, control, member, reach });
  const { spec } = (await control.get(resources.clusters, { name: 'edge' })) as unknown as { spec: object };
  t.match(spec, { apiEndpoint: url, insecureSkipTLSVerification: true, proxyURL: reach.proxyUrl });
  t.equal(await otherNameOf(member, control, 'edge'), undefined, 'it may join again');
  t.equal(await otherNameOf(member, control, 'other'), 'edge');
});

t.test('tokens expire, unless the member issues only others', async t => {
  const { client } = await memberServer(t);
  const { namespace, name } = { namespace: 'karmada-cluster', name: 'karmada-edge' };
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await client.create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name } });
  const refusals: string[] = [];
  const tokens = boundTokens(({ message }) => refusals.push(message));
  const claims = Buffer.from((await tokens(client, name, namespace)).split('.')[1] ?? '', 'base64url').toString();
  const { exp, iat } = JSON.parse(claims) as { exp: number; iat: number };
  t.equal(exp - iat, 30 * 24 * 3600);

  const refusing = (error: Error): Client => ({
    ...client,
    create: (resource, object, options) =>
      options?.subresource === 'token' ? Promise.reject(error) : client.create(resource, object, options),
  });
  const answer = tokens(refusing(notFound(accounts, name)), name, namespace);
  const secret = { namespace, name };
  await until(() =>
    client.get(secrets, secret).then(
      () => true,
      () => false,
    ),
  );
  const data = { token: Buffer.from('the token').toString('base64') };
  await client.patch(secrets, secret, { type: 'merge', patch: { data } });
  t.equal(await answer, 'the token');
  t.same(refusals, ['serviceaccounts "karmada-edge" not found']);
  const others = [
    tooManyRequests('later', 1),
    plainError('broken'),
    serviceUnavailable('later'),
    plainError('slow', 504),
    new Error('broken'),
  ];
  for (const error of others) await t.rejects(tokens(refusing(error), name, namespace), error);
  t.equal(refusals.length, 1);
});
