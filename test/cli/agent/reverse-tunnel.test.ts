/** `flagship agent --reverse-tunnel` as a process: what the control plane does with a member that it has no address of. */
import { once } from 'node:events';
import path from 'node:path';
import t from 'tap';
import { remote } from '../../../aggregation/remote/client.js';
import { kubeconfigEndpoint } from '../../../aggregation/remote/kubeconfig.js';
import { resources } from '../../../api/karmada/well-known.js';
import { deployments, pods } from '../../../api/kubernetes/resources.js';
import { find } from '../../../client/find.js';
import { object } from '../../aggregation/fleet.js';
import { until } from '../../storage/until.js';
import { AgentProcess, ControlPlane, deployment, startPulledMember } from './pull-mode.js';

const searchPath = '/apis/search.karmada.io/v1alpha1/proxying/karmada/proxy';

t.test(
  'search, metrics and the proxy reach a member by its tunnel, also after a restart of the control plane',
  async t => {
    const plane = await ControlPlane.start(t);
    const member = await startPulledMember(t, 'edge');
    await member.client.create(deployments, deployment('web', 2));
    const agent = await AgentProcess.ofEdge(t, plane, member, ['--reverse-tunnel']);
    t.equal((await plane.cluster('edge'))?.spec.apiEndpoint, undefined);
    const spec = { targetCluster: {}, resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }] };
    const registry = object('search.karmada.io/v1alpha1', 'ResourceRegistry', 'all', { spec });
    await plane.client.create(resources.resourceRegistries, registry);

    const reaches = async (now: ControlPlane): Promise<void> => {
      const below = (part: string) => {
        const endpoint = kubeconfigEndpoint(path.join(now.directory, 'kubeconfig'));
        const client = remote({ ...endpoint, server: endpoint.server + part }, { userAgent: 'test' });
        t.teardown(() => client.close());
        return client;
      };
      const proxied = below('/apis/cluster.karmada.io/v1alpha1/clusters/edge/proxy');
      const get = (where: string) => now.client.raw({ method: 'GET', path: where });
      const works = (what: Promise<unknown>): Promise<boolean> => what.then(Boolean, () => false);
      await until('the proxy works', () => works(proxied.list(pods, { namespace: 'default' })));
      const web = { namespace: 'default', name: 'web' };
      await until('search has the Deployment', () => works(find(below(searchPath), deployments, web)));
      await until('metrics arrive', async () => {
        const { status, body } = await get('/apis/metrics.k8s.io/v1beta1/nodes');
        return status === 200 && body.toString().includes('"edge"');
      });
      const text = (await get('/metrics')).body.toString();
      t.match(text, /^flagship_reverse_tunnel_open\{cluster="edge"\} 1$/m);
    };
    await reaches(plane);

    const exited = once(plane.child, 'exit');
    plane.child.kill('SIGTERM');
    await exited;
    const restarted = await ControlPlane.start(t, ['--bind', new URL(plane.url).host], plane.folder);
    await reaches(restarted);
    t.match(agent.log, /the reverse tunnel to the control plane is open/);
    t.strictSame(await agent.end('SIGTERM'), [0, null]);
    t.notMatch(agent.log, /forbidden/i);
  },
);
