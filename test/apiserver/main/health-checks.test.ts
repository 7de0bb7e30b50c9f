import path from 'node:path';
import t from 'tap';
import { certificateCheck, healthChecks } from '../../../apiserver/main/health-checks.js';
import { startSteps } from '../../../apiserver/main/start-steps.js';
import { issueServing } from '../../../authn/pki/authority.js';
import { loadOrCreate } from '../../../authn/pki/files.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import { httpClient } from '../http-client.js';
import { runningServer, temporaryFolder } from '../running.js';

/** of kube-apiserver 1.36, as /readyz?verbose lists them. */
const hooks = [
  'aggregator-reload-proxy-client-cert',
  'apiservice-discovery-controller',
  'apiservice-openapi-controller',
  'apiservice-openapiv3-controller',
  'apiservice-registration-controller',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-wait-for-first-sync',
  'bootstrap-controller',
  'crd-informer-synced',
  'generic-apiserver-start-informers',
  'kube-apiserver-autoregistration',
  'local-discovery-cache-sync',
  'mixed-version-proxy-handler',
  'peer-discovery-workers',
  'peer-endpoint-reconciler-controller',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-config-producer',
  'priority-and-fairness-filter',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'start-apiextensions-controllers',
  'start-apiextensions-informers',
  'start-apiserver-admission-initializer',
  'start-cluster-authentication-info-controller',
  'start-kube-aggregator-informers',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'start-kubernetes-service-cidr-controller',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'start-system-namespaces-controller',
  'storage-object-count-tracker-hook',
  'storage-readiness',
].map(name => `poststarthook/${name}`);

const everywhere = ['autoregister-completion', 'etcd', 'log', 'ping', ...hooks];

t.test('the checks that a running server has', async t => {
  const ask = httpClient(t, await runningServer(t, { profile: 'kubernetes' }));
  const only = {
    healthz: ['loopback-serving-certificate'],
    livez: ['loopback-serving-certificate'],
    readyz: ['etcd-readiness', 'informer-sync', 'shutdown'],
  };
  for (const [endpoint, more] of Object.entries(only)) {
    const { text } = await ask(`GET /${endpoint}?verbose`);
    const names = [...text.matchAll(/^\[\+\](\S+) ok$/gm)].map(([, name]) => name);
    t.same(names.sort(), [...everywhere, ...more].sort(), endpoint);
    for (const name of names) t.match(await ask(`GET /${endpoint}/${name}`), { status: 200, text: 'ok' });
  }
  t.match(await ask('GET /readyz/loopback-serving-certificate'), { status: 404 });
  const { text } = await ask('GET /livez?verbose&exclude=poststarthook/storage-readiness');
  t.match(text, '[+]poststarthook/storage-readiness excluded: ok\n');
  t.notMatch(text, 'cannot be excluded');
});

t.test('a step that is not done', async t => {
  const directory = await temporaryFolder(t);
  const backend = await openEmbedded({ directory: path.join(directory, 'storage') });
  t.teardown(() => backend.close());
  const health = healthChecks(backend, new AbortController().signal);
  const [identified, seated] = [health.step(startSteps.identity), health.step(startSteps.fairness)];
  const failing = () =>
    health.checks.flatMap(({ name, check }) => {
      try {
        void check();
        return [];
      } catch {
        return [name];
      }
    });
  t.same(failing(), [...startSteps.identity, ...startSteps.fairness]);
  identified();
  identified();
  t.same(failing(), startSteps.fairness);
  t.equal(health.isComplete, false);
  seated();
  t.same(failing(), []);
  t.equal(health.isComplete, true);
});

t.test('a certificate that has expired', async t => {
  const directory = await temporaryFolder(t);
  const made = await loadOrCreate(directory, { hosts: ['localhost'] });
  const old = await issueServing(made.authority, ['localhost'], { now: new Date(Date.now() - 400 * 24 * 3600 * 1000) });
  const { check, renewed } = certificateCheck(old.certificate);
  t.throws(check.check, { message: 'loopback serving certificate is expired' });
  renewed(made.serving.certificate);
  check.check();

  const server = await runningServer(t);
  const ask = httpClient(t, server);
  t.match(await ask('GET /livez/loopback-serving-certificate'), { status: 200 });
  server.renew(old.certificate, old.key);
  const answer = await ask('GET /livez/loopback-serving-certificate');
  t.match(answer, { status: 500, text: 'internal server error: loopback serving certificate is expired\n' });
  t.match(await ask('GET /readyz'), { status: 200 }, 'requests in process go on');
});
