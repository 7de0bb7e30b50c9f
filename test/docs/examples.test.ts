/** Applies every example with the real kubectl to a control plane with two members, and checks what examples/README.md says about it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import t, { type Test } from 'tap';
import { createAuthority, issueServing } from '../../authn/pki/authority.js';
import { startFlagship } from '../../tools/flagship.js';
import { temporaryFolder } from '../apiserver/running.js';
import { needsKubectl } from '../e2e/kubectl.js';
import { plainNode } from '../../tools/plain-node.js';
import { quoted, read, root, tableRows } from './documents.js';

const folders = fs
  .readdirSync(path.join(root, 'examples'), { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(entry => entry.name)
  .sort();

t.test('every folder has a line in the README', async t => {
  const listed = tableRows(read('examples/README.md')).map(([first = '']) => /^\[([^\]]+)\]/.exec(first)?.[1] ?? '');
  t.same(listed.sort(), folders);
  for (const name of folders) {
    const files = fs.readdirSync(path.join(root, 'examples', name));
    t.ok(
      files.some(file => file.endsWith('.yaml')) && files.every(file => /\.(yaml|mjs)$|^README\.md$/.test(file)),
      name,
    );
  }
});

interface Printed {
  /** Undefined if the command failed. */
  readonly out: string | undefined;
  readonly errors: string;
}

/** Returns what a kubectl command prints. */
function kubectl(kubeconfig: string, args: readonly string[]): Promise<Printed> {
  return new Promise((resolve, reject) => {
    const environment = { ...process.env, KUBECONFIG: kubeconfig, HOME: path.dirname(kubeconfig) };
    const child = spawn('kubectl', args, { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    child.on('error', reject).on('close', code => resolve({ out: code === 0 ? out : undefined, errors }));
  });
}

interface Example {
  /** Commands that run before the folder is applied. */
  readonly first?: readonly string[];
  /** Does what else comes before, and returns further commands. */
  readonly prepare?: (t: Test) => Promise<readonly string[]>;
  /** Files that are applied; all of the folder if absent. */
  readonly files?: readonly string[];
  /** Commands with what they print once the example has taken effect; undefined if the command must fail. */
  readonly expect: readonly (readonly [string, RegExp | undefined])[];
}

const ready = (name: string): string => `get deployment ${name} -o jsonpath={.status.readyReplicas}`;
const image = 'get deployment NAME -o jsonpath={..image}';
const cache = '/apis/search.karmada.io/v1alpha1/search/cache/api/v1/configmaps';

/** Expectations of a custom resource of three replicas, two of which come to member1, and whose statuses are summed up. */
function divided(name: string, field: string): Example['expect'] {
  const up = (member: string, count: number): readonly [string, RegExp] => [
    `--context ${member} patch ${name} --subresource status --type merge -p {"status":{"up":${count}}}`,
    /patched/,
  ];
  const binding = name.split('/').reverse().join('-');
  return [
    [`--context member1 get ${name} -o jsonpath={.spec.${field}}`, /^2$/],
    [`--context member2 get ${name} -o jsonpath={.spec.${field}}`, /^1$/],
    up('member1', 2),
    up('member2', 1),
    [`get ${name} -o jsonpath={.status.up}`, /^3$/],
    [`get resourcebinding ${binding} -o jsonpath={.status.aggregatedStatus[*].health}`, /^Healthy Healthy$/],
  ];
}

const established = (folder: string, plural: string): readonly string[] => [
  `apply -f examples/${folder}/kind.yaml`,
  `wait --for=condition=Established --timeout=120s crd/${plural}.example.com`,
];

/** Starts the webhook of the example with a certificate at any port. Returns the command that writes its address into the configuration. */
async function startFarms(t: Test): Promise<readonly string[]> {
  const directory = await temporaryFolder(t);
  const authority = await createAuthority('farms');
  const { certificate, key } = await issueServing(authority, ['localhost']);
  const [keyFile, certificateFile] = [path.join(directory, 'key.pem'), path.join(directory, 'cert.pem')];
  fs.writeFileSync(keyFile, key);
  fs.writeFileSync(certificateFile, certificate);
  const [node, ...args] = plainNode;
  const program = path.join(root, 'examples', 'interpreter-webhook', 'webhook.mjs');
  const child = spawn(node, [...args, program, keyFile, certificateFile, '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill());
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const url = `https://localhost:${/\d+/.exec(line.toString())?.[0]}/interpret`;
  const caBundle = Buffer.from(authority.certificate).toString('base64');
  const value = JSON.stringify([{ op: 'replace', path: '/webhooks/0/clientConfig', value: { url, caBundle } }]);
  return [
    'apply -f examples/interpreter-webhook/configuration.yaml',
    `patch resourceinterpreterwebhookconfigurations farms --type json -p ${value}`,
  ];
}

const examples: Readonly<Record<string, Example>> = {
  'admission-policies': {
    expect: [
      ['create deployment crowd --image=nginx:1.27 --replicas=21 --dry-run=server', undefined],
      ['create deployment few --image=nginx:1.27 --replicas=20 --dry-run=server', /created/],
      ['create configmap noted --dry-run=server -o jsonpath={.metadata.annotations}', /created-by":"system:admin"/],
    ],
  },
  'first-steps': {
    first: ['create deployment nginx --image=nginx:1.27 --replicas=4'],
    expect: [
      [`--context member1 ${ready('nginx')}`, /^3$/],
      [`--context member2 ${ready('nginx')}`, /^1$/],
      [`--context member2 ${image.replace('NAME', 'nginx')}`, /^registry\.example\.com\/nginx:1\.27$/],
      ['get --raw /apis/search.karmada.io/v1alpha1/search/cache/apis/apps/v1/deployments', /from-cluster":"member2"/],
    ],
  },
  'logs-and-exec': {
    expect: [
      ['--context member1 logs deployment/talker', /^talker started\nline 1\n/],
      ['--context member1 exec deployment/talker -- env', /^GREETING=hello$/m],
    ],
  },
  duplicated: {
    expect: [
      [`--context member1 ${ready('hello')}`, /^2$/],
      [`--context member2 ${ready('hello')}`, /^2$/],
      ['get deployment hello --no-headers', /\s4\/2\s/],
    ],
  },
  failover: {
    expect: [
      [`--context member1 ${ready('survivor')}`, /^2$/],
      [`--context member2 ${ready('survivor')}`, /^2$/],
    ],
  },
  // The ClusterTaintPolicy needs flags; test/e2e/failover.test.ts has them.
  eviction: {
    files: ['deployments.yaml', 'policies.yaml'],
    expect: [
      [`--context member1 ${ready('mover')}`, /^2$/],
      [`--context member2 ${ready('stayer')}`, /^2$/],
    ],
  },
  'static-weights': {
    expect: [
      [`--context member1 ${ready('weighted')}`, /^4$/],
      [`--context member2 ${ready('weighted')}`, /^2$/],
    ],
  },
  estimators: {
    first: ['--context member2 label nodes --all disk=ssd'],
    expect: [
      [`--context member2 ${ready('picky')}`, /^2$/],
      ['--context member1 get deployment picky', undefined],
    ],
  },
  'spread-by-label': {
    first: ['label cluster member1 example.com/rack=a'],
    expect: [
      [
        'get resourcebinding racked-deployment -o jsonpath={.status.conditions[0].message}',
        /groups by label example\.com\/rack is less than/,
      ],
      ['label cluster member2 example.com/rack=b', /labeled/],
      [`--context member1 ${ready('racked')}`, /^2$/],
      [`--context member2 ${ready('racked')}`, /^2$/],
    ],
  },
  explain: {
    expect: [
      ['get resourcebinding giant-deployment -o jsonpath={.status.conditions[0].reason}', /^Unschedulable$/],
      [
        'get --raw /apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings/giant-deployment/explanation',
        /"available":0[^]*"waitsFor":\["room in clusters"/,
      ],
      ['get events --field-selector reason=SchedulingExplained', /deployment\/giant +The scheduler waits for room in/],
      ['set resources deployment giant --requests=cpu=1', /updated/],
      [ready('giant'), /^2$/],
    ],
  },
  'override-image': {
    expect: [
      [`--context member1 ${image.replace('NAME', 'mirrored')}`, /^nginx:1\.27$/],
      [`--context member2 ${image.replace('NAME', 'mirrored')}`, /^registry\.example\.com\/nginx:1\.27$/],
    ],
  },
  'cluster-policy': {
    expect: [
      ['--context member1 get clusterrole pod-watcher -o name', /pod-watcher/],
      ['--context member2 get clusterrole pod-watcher -o name', /pod-watcher/],
      ['get clusterresourcebinding -o name', /pod-watcher-clusterrole/],
    ],
  },
  'cluster-labels': {
    first: ['label cluster member2 tier=edge'],
    expect: [
      [`--context member2 ${ready('labelled')}`, /^2$/],
      ['--context member1 get deployment labelled', undefined],
    ],
  },
  namespace: {
    expect: [
      ['--context member1 get namespace team-a -o name', /team-a/],
      ['--context member2 get namespace team-a -o name', /team-a/],
    ],
  },
  search: {
    expect: [
      [`get --raw ${cache}`, /"name":"found"[^]*from-cluster":"member1"[^]*from-cluster":"member2"/],
      [
        // Other examples have blue ConfigMaps, too.
        'get --raw /apis/search.karmada.io/v1alpha1/search/cache?q=blue+name:found',
        /"total":2,[^]*"name":"found"/,
      ],
    ],
  },
  'member-metrics': {
    expect: [
      ['top pods -l app=busy --no-headers', /^busy-\S+ +250m +300Mi *\nbusy-\S+ +250m +300Mi *\n$/],
      [
        'get --raw /apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/requests_per_second',
        /"name":"busy-[^]*"value":"40"[^]*"value":"40"/,
      ],
    ],
  },
  'interpreter-customization': {
    first: established('interpreter-customization', 'games'),
    expect: divided('game/chess', 'size'),
  },
  'interpreter-webhook': {
    first: established('interpreter-webhook', 'farms'),
    prepare: startFarms,
    files: ['farm.yaml', 'policy.yaml'],
    expect: divided('farm/pixels', 'machines'),
  },
  dependencies: {
    expect: [
      ['--context member1 get configmap settings -o jsonpath={.data.colour}', /^blue$/],
      [`--context member1 ${ready('configured')}`, /^1$/],
      ['--context member2 get configmap settings', undefined],
    ],
  },
};

/** Those whose members are described in a file. */
const examplesWithMembers: Readonly<Record<string, Example>> = {
  'pull-mode': {
    files: ['deployment.yaml', 'policy.yaml'],
    expect: [
      [`--context edge ${ready('near')}`, /^2$/],
      [ready('near'), /^2$/],
      ['get cluster edge -o jsonpath={.spec.syncMode}', /^Pull$/],
      ['get lease edge -n karmada-cluster -o jsonpath={.spec.holderIdentity}', /^edge$/],
      [`--context paris ${ready('near')}`, undefined],
    ],
  },
};

t.test('every folder has a test', async t =>
  t.same(Object.keys({ ...examples, ...examplesWithMembers }).sort(), folders),
);

/** On a busy machine, the first estimates take longer than the scheduler waits for them by default. */
const estimating = ['--enable-scheduler-estimator', '--scheduler-estimator-timeout', '30s'];

/** Milliseconds within which an example must take effect on a busy machine. */
const timeoutMs = 180_000;

/** Applies examples to a control plane that is started for them. */
async function check(t: Test, flags: readonly string[], checked: Readonly<Record<string, Example>>): Promise<void> {
  const server = await startFlagship(flags);
  t.teardown(() => server.stop());
  const run = (args: string): Promise<Printed> => kubectl(server.kubeconfig, args.split(' '));

  async function mustRun(args: string, why: string): Promise<void> {
    const { out, errors } = await run(args);
    t.ok(out, why, { errors });
  }

  /** Returns what the command printed when it matched, or last before the timeout. */
  async function settled(args: string, expected: RegExp | undefined): Promise<string | undefined> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const { out } = await run(args);
      const isThere = expected === undefined ? out === undefined : out !== undefined && expected.test(out);
      if (isThere || Date.now() > deadline) return out;
    }
  }

  await Promise.all(
    Object.entries(checked).map(async ([name, { first = [], prepare, files = [''], expect }]) => {
      for (const args of [...first, ...((await prepare?.(t)) ?? [])]) await mustRun(args, `${name}: ${args}`);
      await mustRun(`apply ${files.map(file => `-f examples/${name}/${file}`).join(' ')}`, `${name} is applied`);
      for (const [args, expected] of expect) {
        const out = await settled(args, expected);
        if (expected === undefined) t.equal(out, undefined, `${name}: ${args}`);
        else t.match(out, expected, `${name}: ${args}`);
      }
    }),
  );
}

t.test('each example does what the README says', needsKubectl, async t => {
  t.equal(spawnSync('kubectl', ['version', '--client']).status, 0, 'kubectl is installed');
  await check(t, ['--members', '2', ...estimating], examples);
});

t.test('the example with members of its own has taken effect', needsKubectl, async t => {
  await check(t, ['--members', path.join(root, 'examples/pull-mode/members.yaml')], examplesWithMembers);
});

t.test('files in the commands of the README exist', async t => {
  const commands = quoted(read('examples/README.md')).filter(text => text.startsWith('kubectl apply -f'));
  for (const command of commands) t.ok(fs.existsSync(path.join(root, command.split(' ')[3] ?? '')), command);
});
