/** `--members`: a number of members, or a file that describes them. */
import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { remote } from '../../aggregation/remote/client.js';
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import type { Cluster } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { deployments, nodes } from '../../api/kubernetes/resources.js';
import { parseMembers } from '../../cli/members-file.js';
import { temporaryFolder } from '../apiserver/running.js';
import { until } from '../storage/until.js';
import { deployment, policyFor, readyReplicas } from './agent/pull-mode.js';
import { up } from './process.js';

t.test('a number gives members that are all the same', t => {
  t.strictSame(
    parseMembers('2').map(({ name, syncMode }) => [name, syncMode]),
    [
      ['member1', 'Push'],
      ['member2', 'Push'],
    ],
  );
  t.strictSame(parseMembers('0'), []);
  for (const text of ['-1', '101', '1.5'])
    t.throws(() => parseMembers(text), { message: /want a whole number up to 100/ });
  t.throws(() => parseMembers('/no/such/file'), {
    message: /invalid value "\/no\/such\/file" for --members: want a number or a file: there is/,
  });
  t.end();
});

t.test('mistakes in a file are one line with their place', async t => {
  const file = path.join(await temporaryFolder(t), 'members.yaml');
  const rows = [
    ['a: [b', /members.yaml: yaml/],
    ['[]', /want a list "members"/],
    ['members: [x]', /members\[0\]: want the fields of a member/],
    ['members: [{}]', /members\[0\].name: /],
    ['members: [{ name: a, node: 1 }]', /members\[0\].node: unknown field; did you mean nodes\?/],
    ['members: [{ name: a, nodes: -1 }]', /members\[0\].nodes: want a whole number/],
    ['members: [{ name: a, capacity: 1 }]', /members\[0\].capacity: want/],
    ['members: [{ name: a, capacity: { cpu: x } }]', /members\[0\].capacity.cpu: want a quantity/],
    ['members: [{ name: a, capacity: { gpu: 1 } }]', /members\[0\].capacity.gpu: unknown field/],
    ['members: [{ name: a, region: 1 }]', /members\[0\].region: want text/],
    ['members: [{ name: a, zones: b }]', /members\[0\].zones: want a list/],
    ['members: [{ name: a, labels: { x: 1 } }]', /members\[0\].labels: want texts/],
    ['members: [{ name: a, syncMode: pull }]', /members\[0\].syncMode: want Push or Pull/],
    ['members: [{ name: a, latency: 5 }]', /members\[0\].latency: want text/],
    ['members: [{ name: a, latency: soon }]', /members\[0\].latency: want a duration/],
    ['members: [{ name: a, latency: 1h }]', /members\[0\].latency: want up to/],
    ['members: [{ name: a }, { name: a }]', /two members are named a/],
  ] as const;
  for (const [text, message] of rows) {
    await fs.writeFile(file, text);
    t.throws(() => parseMembers(file), { message }, text);
  }
  const missing = path.join(path.dirname(file), 'missing.yaml');
  t.throws(() => parseMembers(missing), {
    message: `invalid value "${missing}" for --members: want a number or a file: there is no such file`,
  });
  t.throws(() => parseMembers(path.dirname(file)), { message: /want a number or a file: it is a folder$/ });
});

t.test('described members join, in push and pull mode', async t => {
  const folder = await temporaryFolder(t);
  const file = path.join(folder, 'members.yaml');
  await fs.writeFile(
    file,
    `members:
- { name: paris, nodes: 2, capacity: { cpu: '4', memory: 8Gi, pods: 20 }, region: eu, zones: [a, b], labels: { tier: core } }
- { name: edge, nodes: 1, syncMode: Pull, latency: 20ms, provider: own, labels: { tier: edge } }
`,
  );
  const { complaints } = await up(t, path.join(folder, 'data'), '--members', file);
  const config = path.join(folder, 'data', 'kubeconfig');
  const plane = remote(kubeconfigEndpoint(config), { userAgent: 'test' });
  t.teardown(() => plane.close());
  const clusters = (await plane.list(resources.clusters)).items as Cluster[];
  const [edge, paris] = clusters;
  t.match(edge, {
    metadata: { name: 'edge', labels: { tier: 'edge' } },
    spec: { syncMode: 'Pull', provider: 'own', secretRef: { name: 'edge' } },
  });
  t.match(paris, {
    metadata: { name: 'paris', labels: { tier: 'core' } },
    spec: { syncMode: 'Push', region: 'eu', zones: ['a', 'b'] },
  });
  const member = remote(kubeconfigEndpoint(config, 'paris'), { userAgent: 'test' });
  t.teardown(() => member.close());
  t.match((await member.list(nodes)).items, [{ status: { capacity: { cpu: '4', memory: '8Gi', pods: '20' } } }, {}]);
  await plane.create(resources.propagationPolicies, policyFor('edge', 'paris'));
  await plane.create(deployments, deployment('web', 2));
  await until('both have applied it', async () => (await readyReplicas(plane, 'web')) === 4);
  t.equal(complaints(), '');
});
