import { once } from 'node:events';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import t from 'tap';
import { CertificateCheck, HealthChecks, InformerSync } from '../../../apiserver/paths/health-checks.js';
import { StartSteps, stepNames } from '../../../server/start/start-steps.js';
import { expected } from '../../../authn/bootstrap/expected.js';
import { acceptAny } from '../../../authn/bootstrap/reconcile.js';
import { issueServing } from '../../../authn/pki/authority.js';
import { loadOrCreate } from '../../../authn/pki/files.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import { StoreHealth } from '../../../storage/store-health.js';
import { httpClient } from '../http-client.js';
import { runningServer, temporaryFolder } from '../running.js';
import { overriding } from '../../storage/overriding.js';

/** Post-start hooks that kube-apiserver 1.36 lists at /readyz?verbose. */
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

/** Returns a port that is free now. Another process could take it before the test does, which has not been seen. */
async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

const everywhere = ['autoregister-completion', 'etcd', 'log', 'ping', ...hooks];

t.test('a running server has the checks of kube-apiserver', async t => {
  const ask = httpClient(t, await runningServer(t, { profile: 'kubernetes' }));
  const only = {
    healthz: ['loopback-serving-certificate'],
    livez: ['loopback-serving-certificate'],
    readyz: ['data-directory', 'etcd-readiness', 'informer-sync', 'shutdown'],
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

t.test('each check passes with its own steps', async t => {
  const directory = await temporaryFolder(t);
  const backend = await openEmbedded({ directory: path.join(directory, 'storage') });
  t.teardown(() => backend.close());
  const health = new HealthChecks(new StoreHealth(backend), new AbortController().signal);
  health.begin(stepNames);
  const steps = new StartSteps(name => health.finish(name));
  const failing = () =>
    health.checks.flatMap(check => {
      const { name } = check;
      try {
        void check.check();
        return [];
      } catch (error) {
        t.equal((error as Error).message, 'not finished');
        return [name];
      }
    });
  t.same(failing().sort(), ['autoregister-completion', ...hooks].sort());
  t.same(health.unfinished, stepNames);
  const left = new Set(stepNames);
  const without = (...names: readonly string[]): string[] => {
    for (const name of names) left.delete(name.includes('completion') ? name : `poststarthook/${name}`);
    return [...left];
  };
  steps.done('fairness');
  steps.done('fairness');
  t.same(failing(), without('priority-and-fairness-config-consumer'));
  const role = (name: string) =>
    expected('roles', { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name } }, acceptAny);
  const map = expected(
    'configmaps',
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'extension-apiserver-authentication' } },
    acceptAny,
  );
  const [a, b] = [role('a'), role('b')];
  steps.written(a);
  t.same(failing(), without(), 'the expected objects are not yet announced');
  steps.expect([a, b, map]);
  t.same(
    failing(),
    without(
      ...['scheduling/bootstrap-system-priority-classes', 'priority-and-fairness-config-producer'],
      ...['start-system-namespaces-controller', 'start-legacy-token-tracking-controller'],
      ...['start-kubernetes-service-cidr-controller', 'start-service-ip-repair-controllers', 'bootstrap-controller'],
      ...['kube-apiserver-autoregistration', 'apiservice-registration-controller', 'autoregister-completion'],
    ),
    'checks that wait for no objects pass',
  );
  steps.written(a);
  t.same(failing(), without(), 'one of two objects');
  steps.written(map);
  t.same(failing(), without('start-cluster-authentication-info-controller'));
  steps.written(b);
  t.same(failing(), without('rbac/bootstrap-roles'));
  for (const step of [
    ...(['stored', 'certificates', 'served', 'policy', 'admission'] as const),
    ...(['definitions', 'apiServices', 'described', 'identity', 'announced'] as const),
  ]) {
    t.equal(health.isComplete, false, step);
    steps.done(step);
  }
  t.same(failing(), []);
  t.equal(health.isComplete, true);
});

t.test('the check names informers that have not synced', async t => {
  const sync = new InformerSync();
  sync.check();
  let finish = (): void => undefined;
  const roles = sync.watch('*v1.Role', new Promise<void>(resolve => (finish = resolve)));
  void sync.watch('*v1.APIService', new Promise(() => undefined));
  t.throws(() => sync.check(), { message: '2 informers not started yet: [*v1.APIService *v1.Role]' });
  finish();
  await roles;
  t.throws(() => sync.check(), { message: '1 informers not started yet: [*v1.APIService]' });
});

t.test('the health checks name the steps that a failing write keeps from finishing', async t => {
  const directory = await temporaryFolder(t);
  const whole = await openEmbedded({ directory: path.join(directory, 'storage') });
  t.teardown(() => whole.close());
  let release = (): void => undefined;
  const released = new Promise<void>(resolve => (release = resolve));
  let arrived = (): void => undefined;
  const held = new Promise<void>(resolve => (arrived = resolve));
  // Writes of priority classes wait.
  const backend = overriding(whole, {
    async put(key, ...rest) {
      if (key.startsWith('/registry/priorityclasses/')) {
        arrived();
        await released;
      }
      return whole.put(key, ...rest);
    },
  });
  const port = await freePort();
  const starting = runningServer(t, {
    ...{ profile: 'kubernetes', storage: { type: 'opened', backend }, listen: { host: '127.0.0.1', port } },
  });
  await held;
  const ask = (what: string): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const request = https.get({ host: '127.0.0.1', port, path: what, rejectUnauthorized: false, agent: false }, r => {
        let text = '';
        r.setEncoding('utf8').on('data', (part: string) => (text += part));
        r.on('end', () => resolve({ status: r.statusCode ?? 0, text }));
      });
      request.on('error', reject);
    });
  const name = 'poststarthook/scheduling/bootstrap-system-priority-classes';
  // Other steps may be unfinished at first; this one and those after it stay unfinished.
  let answer = await ask('/livez?verbose');
  const names = (text: string): readonly string[] =>
    [...text.matchAll(/^\[-\](\S+) failed/gm)].map(([, one]) => one ?? '');
  const later = [
    'start-kube-apiserver-identity-lease-controller',
    'start-kube-apiserver-identity-lease-garbage-collector',
  ]
    .concat([
      'mixed-version-proxy-handler',
      'peer-discovery-workers',
      'priority-and-fairness-config-consumer',
      'bootstrap-controller',
    ])
    .map(one => `poststarthook/${one}`);
  while (names(answer.text).some(one => one !== name && !later.includes(one))) answer = await ask('/livez?verbose');
  t.equal(answer.status, 500);
  t.match(answer.text, `[-]${name} failed: reason withheld\n`);
  t.match(answer.text, '[+]poststarthook/rbac/bootstrap-roles ok\n');
  t.match(answer.text, '[+]poststarthook/crd-informer-synced ok\n');
  release();
  await starting;
  t.match(await ask('/livez'), { status: 200, text: 'ok' });
});

t.test('an expired certificate', async t => {
  const directory = await temporaryFolder(t);
  const made = await loadOrCreate(directory, { hosts: ['localhost'] });
  const old = await issueServing(made.authority, ['localhost'], { now: new Date(Date.now() - 400 * 24 * 3600 * 1000) });
  const expiry = new CertificateCheck(old.certificate);
  t.throws(() => expiry.check(), { message: 'loopback serving certificate is expired' });
  expiry.setCertificate(made.serving.certificate);
  expiry.check();

  const server = await runningServer(t);
  const ask = httpClient(t, server);
  t.match(await ask('GET /livez/loopback-serving-certificate'), { status: 200 });
  server.renew(old.certificate, old.key);
  const answer = await ask('GET /livez/loopback-serving-certificate');
  t.match(answer, { status: 500, text: 'internal server error: loopback serving certificate is expired\n' });
  t.match(await ask('GET /readyz'), { status: 200 }, 'requests in process still work');
});
