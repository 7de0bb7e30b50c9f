import t from 'tap';
import { isNotFound } from '../../../apimachinery/errors/status.js';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import { remote } from '../../../aggregation/remote/client.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

const secrets = { group: '', version: 'v1', resource: 'secrets' };
const accounts = { group: '', version: 'v1', resource: 'serviceaccounts' };
const namespace = 'default';

t.test('a token Secret gets a valid token, and is deleted with its account', async t => {
  const server = await runningServer(t, { parts: [kubernetesControllers(() => true)] });
  const { client } = server;
  await client.create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot', namespace } });
  await client.create(secrets, {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/service-account-token' },
    metadata: { name: 'robot-token', namespace, annotations: { 'kubernetes.io/service-account.name': 'robot' } },
  });
  let data: Record<string, string> = {};
  await until('the token', async () => {
    const secret = await client.get(secrets, { namespace, name: 'robot-token' });
    data = (secret['data'] ?? {}) as Record<string, string>;
    return data['token'] !== undefined;
  });
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
  t.equal(text('namespace'), namespace);
  t.equal(text('ca.crt'), server.pki.authority.certificate);

  const robot = remote({ server: server.url, ca: text('ca.crt'), token: text('token') }, { userAgent: 'test' });
  t.teardown(() => robot.close());
  const reviews = { group: 'authentication.k8s.io', version: 'v1', resource: 'selfsubjectreviews' };
  const review = await robot.create(reviews, {
    ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} },
  });
  t.match(review['status'], { userInfo: { username: 'system:serviceaccount:default:robot' } });

  await client.delete(accounts, { namespace, name: 'robot' });
  await until('the Secret to go', async () => {
    try {
      await client.get(secrets, { namespace, name: 'robot-token' });
      return false;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  });
});
