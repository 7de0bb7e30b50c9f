/** karmadactl top: the tables, and the command between a control plane and its simulated members. */
import path from 'node:path';
import t, { type Test } from 'tap';
import { UsageError } from '../../cli/flags/flags.js';
import { topCommand } from '../../cli/karmadactl/top/top.js';
import type { Measured, MeasuredNode } from '../../cli/karmadactl/top/measured.js';
import { nodeLines, podLines } from '../../cli/karmadactl/top/usage-tables.js';
import { addAmounts, amountsOf } from '../../apimachinery/quantity/amounts.js';
import type { Quantity } from '../../apimachinery/quantity/quantity.js';
import { startFlagship } from '../../tools/flagship.js';
import { kubectlFor, needsKubectl } from '../e2e/kubectl.js';
import { until } from '../storage/until.js';
import { programCommand } from './program-command.js';

const karmadactl = programCommand('karmadactl');

/** A Pod with containers that use these amounts: `web 100m 64Mi`. */
function pod(cluster: string, key: string, ...containers: readonly string[]): Measured {
  const [namespace = '', name = ''] = key.split('/');
  const each = containers.map(text => {
    const [name = '', cpu = '', memory = ''] = text.split(' ');
    return { name, usage: amountsOf({ cpu, memory }) };
  });
  const usage = new Map<string, Quantity>();
  for (const container of each) addAmounts(usage, container.usage);
  return { cluster, namespace, name, containers: each, usage };
}

const words = (lines: readonly string[]): string[][] => lines.map(line => line.trim().split(/\s+/));

t.test('tables of Pods', t => {
  const pods = [
    pod('member2', 'default/a', 'web 1 10Mi'),
    pod('member1', 'default/b', 'web 1500u 1Gi', 'side 250m 1023Ki'),
    pod('member1', 'default/a', 'web 100m 64Mi'),
  ];
  const plain = { sortBy: '', noHeaders: false, allNamespaces: false, containers: false, sum: false } as const;
  const rows: [options: object, want: string[]][] = [
    [
      {},
      ['NAME CLUSTER CPU(cores) MEMORY(bytes)', 'a member1 100m 64Mi', 'b member1 252m 1024Mi', 'a member2 1000m 10Mi'],
    ],
    [{ sortBy: 'cpu', noHeaders: true }, ['a member2 1000m 10Mi', 'b member1 252m 1024Mi', 'a member1 100m 64Mi']],
    [{ sortBy: 'memory', noHeaders: true }, ['b member1 252m 1024Mi', 'a member1 100m 64Mi', 'a member2 1000m 10Mi']],
    [
      { containers: true, allNamespaces: true },
      [
        'NAMESPACE POD NAME CLUSTER CPU(cores) MEMORY(bytes)',
        'default a web member1 100m 64Mi',
        'default b side member1 250m 0Mi',
        'default b web member1 2m 1024Mi',
        'default a web member2 1000m 10Mi',
      ],
    ],
    [
      { sum: true, noHeaders: true },
      ['a member1 100m 64Mi', 'b member1 252m 1024Mi', 'a member2 1000m 10Mi', '________ ________', '1352m 1098Mi'],
    ],
  ];
  for (const [options, want] of rows)
    t.same(
      words(podLines(pods, { ...plain, ...options })).map(each => each.join(' ')),
      want,
      JSON.stringify(options),
    );
  t.same(podLines([], { ...plain, noHeaders: true, sum: true }), []);
  t.end();
});

t.test('tables of nodes', t => {
  const size = amountsOf({ cpu: '2', memory: '4Gi' });
  const usage = amountsOf({ cpu: '300m', memory: '1Gi' });
  const nodes: MeasuredNode[] = [
    { cluster: 'member2', name: 'n1', usage, available: size },
    { cluster: 'member1', name: 'n2', usage: undefined, available: size },
    { cluster: 'member1', name: 'n1', usage: amountsOf({ cpu: '1', memory: '1Mi' }), available: amountsOf({}) },
  ];
  t.same(words(nodeLines(nodes, { sortBy: '', noHeaders: false })), [
    ['NAME', 'CLUSTER', 'CPU(cores)', 'CPU%', 'MEMORY(bytes)', 'MEMORY%'],
    ['n1', 'member1', '1000m', '<unknown>', '1Mi', '<unknown>'],
    ['n1', 'member2', '300m', '15%', '1024Mi', '25%'],
    ['n2', 'member1', '<unknown>', '<unknown>', '<unknown>', '<unknown>'],
  ]);
  const sorted = words(nodeLines(nodes, { sortBy: 'memory', noHeaders: true }));
  t.same(
    sorted.map(([name, cluster]) => `${name} ${cluster}`),
    ['n1 member2', 'n1 member1', 'n2 member1'],
  );
  t.end();
});

t.test('mistakes in flags and arguments', async t => {
  const rows: [args: string, want: string][] = [
    ['top pot', 'unknown command "pot" for "karmadactl top"; did you mean pod?'],
    ['top -n node pot', 'unknown command "pot" for "karmadactl top"; did you mean pod?'],
    ['top -n node pod --sort-by disk', '--sort-by accepts only cpu or memory'],
    ['top -n none node', 'unknown shorthand flag: "n" in -n'],
    ['top --containes pod', 'unknown flag: --containes; did you mean --containers?'],
    ['top pod a b', 'unknown argument: b'],
    ['top pod a -l x=y', 'only one of NAME or selector can be provided'],
    ['top pod a --field-selector x=y', 'only one of NAME or selector can be provided'],
    ['top node a -l x=y', 'only one of NAME or selector can be provided'],
    ['top pod a -A', 'a Pod is named in one namespace: not with --all-namespaces'],
    ['top pod --sort-by disk', '--sort-by accepts only cpu or memory'],
  ];
  for (const [args, message] of rows)
    await t.rejects(topCommand(args.split(' ').slice(1)), { constructor: UsageError, message }, args);
  for (const args of [['top', '--help'], ['top', '-n', 'pod', '-h'], ['top']])
    t.match(await karmadactl(...args), { code: 0, stdout: /--show-capacity/ }, args.join(' '));
});

const podOf = (name: string, cpu: string): string =>
  JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: {
      ...{ name, labels: { app: name } },
      annotations: { 'simulator.flagship.io/cpu': cpu, 'simulator.flagship.io/memory': '64Mi' },
    },
    spec: { containers: ['web', 'side'].map(name => ({ name, image: 'nginx' })) },
  });

/** Returns the words of the lines that a command prints. */
const shownBy =
  (t: Test, kubeconfig: string) =>
  async (args: string): Promise<string[][]> => {
    const { code, stdout, stderr } = await karmadactl('--kubeconfig', kubeconfig, ...args.split(' '), '--no-headers');
    t.same([code, stderr], [0, ''], args);
    return words(stdout.split('\n').filter(line => line !== ''));
  };

t.test('the usage of all members', { ...needsKubectl, timeout: 240_000 }, async t => {
  const server = await startFlagship(['--members', '2']);
  t.teardown(() => server.stop());
  const { kubeconfig } = server;
  const kubectl = kubectlFor(t, { kubeconfig, directory: path.dirname(kubeconfig) });
  for (const [member, cpu] of [
    ['member1', '300m'],
    ['member2', '400m'],
  ] as const)
    await kubectl(`--context ${member} create -f -`, { input: podOf(`of-${member}`, cpu) });
  await until('metrics', async () => (await kubectl('top pods --no-headers')).out.trim().split('\n').length === 2);
  const shown = shownBy(t, kubeconfig);
  const [first, second] = [
    ['of-member1', 'member1', '600m', '128Mi'],
    ['of-member2', 'member2', '800m', '128Mi'],
  ];
  t.same(await shown('top pod'), [first, second]);
  t.same(await shown('top pods --sort-by cpu'), [second, first]);
  t.same(await shown('top po -C member2'), [second]);
  t.same(await shown('top pod -A -l app=of-member1'), [['default', ...(first ?? [])]]);
  t.same(await shown('top pod of-member2 --clusters=member2 --containers'), [
    ['of-member2', 'side', 'member2', '400m', '64Mi'],
    ['of-member2', 'web', 'member2', '400m', '64Mi'],
  ]);
  const nodes = await shown('top node');
  t.equal(nodes.length, 6);
  t.match(nodes[0], [/^member1-node-1$/, 'member1', /^\d+m$/, /^\d+%$/, /^\d+Mi$/, /^\d+%$/]);
  t.equal((await shown('top nodes member1-node-2 --clusters member1 --show-capacity')).length, 1);

  const run = (args: string) => karmadactl('--kubeconfig', kubeconfig, ...args.split(' '));
  t.match(await run('top pod -n none'), { code: 0, stdout: '', stderr: 'No resources found in none namespace.\n' });
  t.match(await run('top pod -C member1,member9'), { code: 1, stderr: "error: clusters don't exist: member9\n" });
  t.match(await run('top pod of-member1'), {
    code: 1,
    stdout: /^of-member1 +member1 +600m +128Mi$/m,
    stderr: /^error: cluster\(member2\): .*not found\n$/,
  });
});
