/** Service account tokens that the cluster fills in asynchronously. */
import t from 'tap';
import { secretTokens } from '../../../aggregation/members/join.js';
import { remote } from '../../../aggregation/remote/client.js';
import { issueClient } from '../../../authn/pki/authority.js';
import { isNotFound } from '../../../apimachinery/errors/status.js';
import { until } from '../../authn/serve.js';
import { core, grant, memberServer, object, rbac } from '../fleet.js';

const secrets = core('secrets');
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
