/** Explanations and simulations use the estimates of members by which the scheduler decides, in each process that serves requests. */
import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { remote } from '../../aggregation/remote/client.js';
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Binding } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { deployments, nodes } from '../../api/kubernetes/resources.js';
import { find } from '../../client/find.js';
import { startFlagship } from '../../tools/flagship.js';
import { temporaryFolder } from '../apiserver/running.js';
import { until } from '../storage/until.js';
import { programCommand } from './program-command.js';

const karmadactl = programCommand('karmadactl', 'explain-scheduling');
const simulate = programCommand('flagship', 'simulate');

/** A Deployment for nodes with a label. */
const picky: KubeObject = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'picky', namespace: 'default' } },
  spec: {
    ...{ replicas: 2, selector: { matchLabels: { app: 'picky' } } },
    template: {
      metadata: { labels: { app: 'picky' } },
      spec: { nodeSelector: { disk: 'ssd' }, containers: [{ name: 'c', image: 'i' }] },
    },
  },
};

const policy = (clusterNames: readonly string[]): KubeObject => ({
  ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy' },
  metadata: { name: 'picky', namespace: 'default' },
  spec: {
    resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
    placement: {
      clusterAffinity: { clusterNames },
      replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
    },
  },
});

const estimatesPath = '/apis/cluster.karmada.io/v1alpha1/clusters/*/estimates';

for (const flags of [[], ['--workers=1']])
  t.test(`a server with the flags ${flags.join() || 'of one process'}`, async t => {
    const server = await startFlagship(['--members', '2', '--enable-scheduler-estimator', ...flags]);
    t.teardown(() => server.stop());
    const connect = (context?: string) => {
      const client = remote(kubeconfigEndpoint(server.kubeconfig, context), { userAgent: 'test' });
      t.teardown(() => client.close());
      return client;
    };
    const [plane, member2] = [connect(), connect('member2')];
    const { items } = await member2.list(nodes);
    const labels = { disk: 'ssd' };
    for (const { metadata } of items)
      await member2.patch(nodes, { name: metadata.name ?? '' }, { type: 'merge', patch: { metadata: { labels } } });
    await plane.create(resources.propagationPolicies, policy(['member1', 'member2']));
    await plane.create(deployments, picky);
    const key = { namespace: 'default', name: 'picky-deployment' };
    await until('it is placed where its nodes are', async () => {
      const found = (await find(plane, resources.resourceBindings, key)) as Binding | undefined;
      return found?.spec.clusters?.[0]?.name === 'member2';
    });

    const access = ['--kubeconfig', server.kubeconfig];
    await until('both members have answered', async () => {
      const { stdout } = await karmadactl('deployment', 'picky', ...access);
      return /^Estimates: +2 of 2 members have answered$/m.test(stdout);
    });
    const { stdout } = await karmadactl('deployment', 'picky', '-o', 'json', ...access);
    t.match(JSON.parse(stdout), {
      estimates: { asked: 2, answered: 2 },
      decisions: [
        {
          clusters: [
            { name: 'member2', replicas: 2 },
            { name: 'member1', available: 0 },
          ],
        },
      ],
    });

    const file = path.join(await temporaryFolder(t), 'policy.json');
    await fs.writeFile(file, JSON.stringify(policy(['member1'])));
    t.match(await simulate('-f', file, ...access), {
      stdout: /^Deployment default\/picky .* does not fit .*: Clusters available replicas 0 are not enough/m,
      stderr: '',
    });
    t.match(await simulate(...access), { stdout: /^Deployment default\/picky .* unchanged +member2: 2 +member2: 2$/m });

    const ask = async (body: string) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await plane.raw({ method: 'POST', path: estimatesPath, headers, body: Buffer.from(body) });
      return [answer.status, JSON.parse(answer.body.toString())] as const;
    };
    const question = { clusters: ['member1', 'none'], resource: { kind: 'Deployment', name: 'x' } };
    const requirements = { nodeClaim: { nodeSelector: { disk: 'ssd' } } };
    t.strictSame(await ask(JSON.stringify({ ...question, requirements })), [
      200,
      { kind: 'MemberEstimates', estimates: { member1: 0 } },
    ]);
    t.match(await ask('{'), [400, { reason: 'BadRequest', message: /^the body is no JSON: / }]);
    t.match(await ask(JSON.stringify({ clusters: 1 })), [400, { message: 'clusters: want a list of names' }]);
    t.match(await ask('['.repeat(2000)), [400, { message: /^the body is nested deeper than / }]);
    t.match(await ask(' '.repeat(1_100_000)), [413, { reason: 'RequestEntityTooLarge' }]);
    t.equal((await plane.raw({ method: 'GET', path: estimatesPath })).status, 405);
  });
