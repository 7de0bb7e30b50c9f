/** A cluster from its registration to its end: `karmadactl register`, `flagship agent` with the kubeconfig of its Secret, `karmadactl unregister`. */
import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { deployments, secrets } from '../../../api/kubernetes/resources.js';
import { find } from '../../../client/find.js';
import { until } from '../../storage/until.js';
import { programCommand } from '../program-command.js';
import { AgentProcess, ControlPlane, quick, readyReplicas, startPulledMember } from './pull-mode.js';

const karmadactl = programCommand('karmadactl');

t.test('the agent of a registered cluster works with what it was given, and lets the cluster go', async t => {
  const plane = await ControlPlane.start(t);
  const member = await startPulledMember(t, 'edge');
  const admin = path.join(plane.directory, 'kubeconfig');
  const { stdout } = await karmadactl('token', 'create', '--kubeconfig', admin, '--print-register-command');
  const [, ...command] = stdout.trim().split(' ');
  const registered = await karmadactl(...command, '--kubeconfig', member.file, '--cluster-name', 'edge');
  t.match(registered, { code: 0 }, registered.stderr);

  const { data } = await member.client.get(secrets, { namespace: 'karmada-system', name: 'karmada-kubeconfig' });
  const file = path.join(plane.folder, 'agent');
  const encoded = (data as Record<string, string>)['karmada-kubeconfig'] ?? '';
  await fs.writeFile(file, Buffer.from(encoded, 'base64'), { mode: 0o600 });
  const connection = ['--karmada-kubeconfig', file, '--cluster-kubeconfig', member.file, '--cluster-name', 'edge'];
  const agent = new AgentProcess(t, [...connection, ...quick]);
  await agent.registered();
  await plane.propagate('web', 2);
  t.equal(await readyReplicas(member.client, 'web'), 2);

  const left = await karmadactl('unregister', 'edge', '--cluster-kubeconfig', member.file);
  t.match(left, { code: 0, stdout: /\ncluster\(edge\) is unregistered successfully\n$/ }, left.stderr);
  t.match(left.stdout, '\nRole/karmada-es-edge/system:karmada:edge:agent-work\n', 'the roles that stay are listed');
  t.equal(await plane.cluster('edge'), undefined);
  await until('the workload is taken back', async () => {
    const key = { namespace: 'default', name: 'web' };
    return (await find(member.client, deployments, key)) === undefined;
  });
  t.ok(await find(plane.client, deployments, { namespace: 'default', name: 'web' }), 'the template stays');
});
