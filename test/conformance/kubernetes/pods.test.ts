/** Defaults and validation of Pods. as test/e2e/common/node, test/e2e/node/pods.go, test/e2e/storage/csi_inline.go */
import t from 'tap';
import { codeOf, kit, refusal } from './kit.js';
import { runningMember } from './running-member.js';
import { runningControlPlane } from './running-control-plane.js';

const server = await runningControlPlane(t);
const all = kit(t, server);
const pods = all.of('v1/pods', await all.namespace());

const containers = [{ name: 'main', image: 'agnhost' }];

t.test('Pods with an unknown RuntimeClass are refused', async t => {
  const pod = (runtimeClassName: string): Promise<number> =>
    codeOf(pods.create({ metadata: { generateName: 'p-' }, spec: { runtimeClassName, containers } }, 'dryRun=All'));
  t.equal(await pod('nonexistent'), 403);
  const classes = all.of('node.k8s.io/v1/runtimeclasses');
  await classes.create({ metadata: { name: 'delete-me' }, handler: 'runc' });
  await classes.remove('delete-me');
  await classes.gone('delete-me');
  t.equal(await pod('delete-me'), 403);
});

t.test('Pods with invalid sysctls are refused', async t => {
  const sysctls = ['foo-', 'kernel.shmmax', 'safe-and-unsafe', 'bar..'].map(name => ({ name, value: '100' }));
  const { message, code } = await refusal(
    pods.create({ metadata: { generateName: 'sysctl-' }, spec: { securityContext: { sysctls }, containers } }),
  );
  t.equal(code, 422);
  for (const bad of ['foo-', 'bar..']) t.ok(message.includes(`Invalid value: "${bad}"`), bad);
  for (const good of ['safe-and-unsafe', 'kernel.shmmax']) t.notOk(message.includes(good), good);
});

t.test('Pods have a QoS class', async t => {
  const amounts = { cpu: '100m', memory: '100Mi' };
  const resources = { limits: amounts, requests: amounts };
  await pods.create({ metadata: { name: 'qos' }, spec: { containers: [{ ...containers[0], resources }] } });
  t.match(await pods.get('qos'), { status: { qosClass: 'Guaranteed' } });
});

t.test('Pods have inline CSI volumes', async t => {
  const driver = 'e2e.example.com';
  const volumes = [
    { name: 'vol1', csi: { driver } },
    { name: 'vol2', csi: { driver, fsType: 'ext4', readOnly: true } },
  ];
  const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/mnt/${name}` }));
  const made = await pods.create({
    metadata: { name: 'csi' },
    spec: { volumes, containers: [{ ...containers[0], volumeMounts }] },
  });
  t.match(made, { spec: { volumes } });
  await pods.patch('csi', { metadata: { labels: { 'e2e-test': 'csi' } } });
  t.match((await pods.list('labelSelector=e2e-test=csi')).items, [{ spec: { volumes } }]);
  await pods.removeAll('labelSelector=e2e-test=csi', { gracePeriodSeconds: 0 });
  t.equal(await pods.find('csi'), undefined);
});

t.test('Pods mount the token of their ServiceAccount by default', async t => {
  const member = kit(t, await runningMember(t));
  const namespace = await member.namespace();
  const accounts = member.of('v1/serviceaccounts', namespace);
  await accounts.becomes('default', () => true);
  for (const [name, automountServiceAccountToken] of [
    ['mount', true],
    ['nomount', false],
  ] as const)
    await accounts.create({ metadata: { name }, automountServiceAccountToken });
  const { metadata } = await member
    .of('v1/pods', namespace)
    .create({ metadata: { name: 'plain' }, spec: { containers } });
  t.match(
    await member.of('v1/pods', namespace).update(metadata.name, ({ metadata }) => (metadata.labels = { a: 'b' })),
    {
      metadata: { labels: { a: 'b' } },
      spec: { serviceAccountName: 'default', serviceAccount: 'default' },
    },
  );
  for (const serviceAccountName of ['default', 'mount', 'nomount'])
    for (const wish of [undefined, true, false]) {
      const automount = wish === undefined ? {} : { automountServiceAccountToken: wish };
      const { spec } = await member.of('v1/pods', namespace).create({
        metadata: { generateName: 'pod-service-account-' },
        spec: { containers, restartPolicy: 'Never', serviceAccountName, ...automount },
      });
      t.match(spec, { serviceAccountName, serviceAccount: serviceAccountName });
      const [main] = (spec as { containers: { volumeMounts?: { mountPath: string }[] }[] }).containers;
      const mounted = main?.volumeMounts?.some(m => m.mountPath === '/var/run/secrets/kubernetes.io/serviceaccount');
      t.equal(mounted ?? false, wish ?? serviceAccountName !== 'nomount', `${serviceAccountName}, ${wish}`);
    }
});
