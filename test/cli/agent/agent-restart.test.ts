/** `flagship agent` while its control plane is restarted, and when its cluster leaves. */
import { once } from 'node:events';
import t from 'tap';
import { resources } from '../../../api/karmada/well-known.js';
import { deployments, secrets } from '../../../api/kubernetes/resources.js';
import { find } from '../../../client/find.js';
import { freePorts } from '../../../tools/etcd.js';
import { until } from '../../storage/until.js';
import { AgentProcess, ControlPlane, deployment, policyFor, readyReplicas, startPulledMember } from './pull-mode.js';

t.test(
  'an agent goes on when the control plane was restarted, and takes back its objects when the cluster leaves',
  async t => {
    const plane = await ControlPlane.start(t);
    const member = await startPulledMember(t, 'edge');
    const probe = `127.0.0.1:${(await freePorts(1)).join()}`;
    const page = async (name: string): Promise<string> => (await fetch(`http://${probe}/${name}`)).text();
    const probes = ['--health-probe-bind-address', probe, '--metrics-bind-address', probe];
    const agent = await AgentProcess.ofEdge(t, plane, member, ['--report-secrets', 'None', ...probes]);
    t.match(await plane.cluster('edge'), { spec: { secretRef: undefined, impersonatorSecretRef: undefined } });
    t.equal(await find(plane.client, secrets, { namespace: 'karmada-cluster', name: 'edge' }), undefined);
    await plane.client.create(resources.propagationPolicies, policyFor('edge'));
    const exited = once(plane.child, 'exit');
    plane.child.kill('SIGTERM');
    await exited;
    const restarted = await ControlPlane.start(t, ['--bind', new URL(plane.url).host], plane.folder);
    await restarted.client.create(deployments, deployment('after', 2));
    await until('the agent goes on', async () => (await readyReplicas(restarted.client, 'after')) === 2);
    t.equal(agent.child.exitCode, null);
    t.equal(await page('healthz'), 'ok');
    const metrics = await page('metrics');
    t.match(metrics, /^leader_election_master_status\{name="karmada-agent-edge"\} 1$/m);
    t.match(metrics, /^workqueue_adds_total\{.*name="execution-controller".*\} [1-9]/m);

    await restarted.client.delete(resources.clusters, { name: 'edge' });
    await until(
      'the agent takes back its objects',
      async () => (await readyReplicas(member.client, 'after')) === undefined,
    );
    await until('the cluster is gone', async () => (await restarted.cluster('edge')) === undefined);
    t.strictSame((await restarted.client.list(resources.works)).items, []);
    t.notMatch(agent.log, /forbidden/i);
    t.strictSame(await agent.end('SIGTERM'), [0, null]);
  },
);
