/** The real kubectl shows the metrics of two simulated members, through the control plane and through the cluster proxy. */
import path from 'node:path';
import t from 'tap';
import { startFlagship } from '../../../tools/flagship.js';
import { kubectlFor, needsKubectl } from '../../e2e/kubectl.js';
import { until } from '../../storage/until.js';

const pod = (name: string, container: string): string =>
  JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { name, annotations: { 'simulator.flagship.io/cpu': '300m', 'simulator.flagship.io/memory': '64Mi' } },
    spec: { containers: [container, 'side'].map(name => ({ name, image: 'nginx' })) },
  });

t.test('kubectl top shows all members', needsKubectl, async t => {
  const server = await startFlagship(['--members', '2']);
  t.teardown(() => server.stop());
  const { kubeconfig } = server;
  const kubectl = kubectlFor(t, { kubeconfig, directory: path.dirname(kubeconfig) });
  /** Returns the rows of an output as lists of words. */
  const rows = async (args: string): Promise<string[][]> => {
    const { out } = await kubectl(`${args} --no-headers`);
    const lines = out.split('\n').filter(line => line !== '');
    return lines.map(line => line.trim().split(/\s+/));
  };
  for (const member of ['member1', 'member2'])
    await kubectl(`--context ${member} create -f -`, { input: pod(`of-${member}`, 'web') });
  await until('both Pods', async () => (await rows('top pods')).length === 2);

  const nodes = (await rows('top nodes')).map(([name]) => name);
  t.same(
    nodes,
    ['member1', 'member2'].flatMap(member => [1, 2, 3].map(i => `${member}-node-${i}`)),
  );
  t.same(await rows('top pods -A'), [
    ['default', 'of-member1', '600m', '128Mi'],
    ['default', 'of-member2', '600m', '128Mi'],
  ]);
  t.same(await rows('top pods --containers'), [
    ['of-member1', 'side', '300m', '64Mi'],
    ['of-member1', 'web', '300m', '64Mi'],
    ['of-member2', 'side', '300m', '64Mi'],
    ['of-member2', 'web', '300m', '64Mi'],
  ]);
  t.same(await rows('top pod of-member2'), [['of-member2', '600m', '128Mi']]);
  t.same(await rows('get pods.metrics.k8s.io'), [
    ['of-member1', '600m', '128Mi', '30s'],
    ['of-member2', '600m', '128Mi', '30s'],
  ]);
  const url = (await kubectl(`config view -o jsonpath='{.clusters[?(@.name=="karmada-apiserver")].cluster.server}'`))
    .out;
  const proxy = `${url}/apis/cluster.karmada.io/v1alpha1/clusters/member1/proxy`;
  t.same(await rows(`top pods --server ${proxy}`), [['of-member1', '600m', '128Mi']]);
  t.match(await rows(`top nodes --server ${proxy}`), [[/^member1-/, /m$/, /%$/, /Mi$/, /%$/], {}, {}]);
  t.match((await kubectl('top pod none')).err, 'pods "none" not found');
  await kubectl('--context member2 create -f -', { input: pod('of-member1', 'web') });
  await until('the other Pod', async () => (await rows('top pods')).length === 3);
  t.match((await kubectl('top pod of-member1')).err, 'found in more than one clusters');
});
