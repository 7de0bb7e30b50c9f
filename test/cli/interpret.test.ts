/** `karmadactl interpret` as its own process. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { temporaryFolder } from '../apiserver/running.js';
import { plainNode } from '../../tools/plain-node.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const program = fileURLToPath(new URL('../../cli/karmadactl.js', import.meta.url));

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function interpret(args: readonly string[], input = ''): Promise<Outcome> {
  const [node, ...options] = plainNode;
  const child = execFile(node, [...options, program, 'interpret', ...args], { cwd: root });
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (text: string) => (stdout += text));
  child.stderr?.on('data', (text: string) => (stderr += text));
  child.stdin?.end(input);
  const [code] = (await once(child, 'close')) as [number];
  return { code, stdout, stderr };
}

const customization = `apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata:
  name: games
spec:
  target: { apiVersion: example.com/v1, kind: Game }
  customizations:
    retention:
      luaScript: function Retain(desired, observed) desired.spec.seat = observed.spec.seat return desired end
    replicaResource:
      luaScript: >-
        function GetReplicas(obj) return obj.spec.size, {resourceRequest = {cpu = "0.1"}} end
    componentResource:
      luaScript: function GetComponents(obj) return {{name = "table", replicas = obj.spec.size}} end
    replicaRevision:
      luaScript: function ReviseReplica(obj, n) obj.spec.size = n return obj end
    statusReflection:
      luaScript: function ReflectStatus(obj) return {up = obj.status.up} end
    statusAggregation:
      luaScript: |
        function AggregateStatus(obj, items)
          obj.status.up = 0
          for _, item in ipairs(items) do obj.status.up = obj.status.up + item.status.up end
          return obj
        end
    healthInterpretation:
      luaScript: function InterpretHealth(obj) return obj.status.up == obj.spec.size end
    dependencyInterpretation:
      luaScript: >-
        function GetDependencies(obj)
        return {{apiVersion = "v1", kind = "Secret", namespace = "n", name = obj.metadata.name}} end
`;

const faulty = `apiVersion: v1
kind: Secret
metadata: { name: other }
---
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: { name: no-version }
spec: { target: { kind: Game } }
---
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
spec: { target: { apiVersion: example.com/v1 } }
---
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: { name: syntax }
spec:
  target: { apiVersion: v1, kind: Pod }
  customizations:
    retention: { luaScript: function }
    replicaResource: { luaScript: function GetReplicas() return 1 end }
    statusReflection: { luaScript: no script }
    statusAggregation: { luaScript: neither }
    dependencyInterpretation: { luaScript: 'function GetDependencies() error("oh") end' }
`;

const desired = `apiVersion: example.com/v1
kind: Game
metadata: { name: g }
spec: { size: 3, tags: {} }
`;
const observed = `${desired.replace('tags: {}', 'seat: 7')}status: { up: 2 }\n`;
const statuses = `clusterName: m1
status: { up: 4 }
---
{"clusterName": "m2", "status": {"up": 5}, "applied": true, "unknown": 1}
`;

t.test('karmadactl interpret', async t => {
  const folder = await temporaryFolder(t);
  const files = { customization, faulty, desired, observed, statuses, empty: '# nothing\n', kindless: 'a: 1\n' };
  for (const [name, text] of Object.entries(files)) await fs.writeFile(path.join(folder, `${name}.yaml`), text);
  const at = (name: string): string => path.join(folder, `${name}.yaml`);
  const running = (operation: string, ...args: string[]): string[] => [
    ...['-f', at('customization'), '--operation', operation, ...args],
  ];
  const [ofDesired, ofObserved] = [
    ['--desired-file', at('desired')],
    ['--observed-file', at('observed')],
  ];

  await t.test('operations', async t => {
    const object = (spec: string, status = ''): string =>
      `apiVersion: example.com/v1\nkind: Game\nmetadata:\n  name: g\nspec:\n${spec}${status}`;
    const one = (name: string, text: string): string => `---\n# [1/1] ${name}:\n${text}`;
    const table: readonly [args: string[], stdout: string, input?: string][] = [
      [running('retain', ...ofDesired, ...ofObserved), one('retained', object('  seat: 7\n  size: 3\n  tags: {}\n'))],
      [
        running('InterpretReplica', ...ofDesired),
        '---\n# [1/2] replica:\n3\n---\n# [2/2] requires:\nresourceRequest:\n  cpu: 100m\n',
      ],
      [running('interpretComponent', ...ofObserved), one('components', '- name: table\n  replicas: 3\n')],
      [
        running('reviseReplica', ...ofDesired, '--desired-replica', '2'),
        one('revised', object('  size: 2\n  tags: {}\n')),
      ],
      [running('INTERPRETSTATUS', ...ofObserved), one('status', 'up: 2\n')],
      [
        running('aggregateStatus', ...ofObserved, '--status-file', '-'),
        one('aggregatedStatus', object('  seat: 7\n  size: 3\n', 'status:\n  up: 9\n')),
        statuses,
      ],
      [running('interpretHealth', ...ofObserved), one('healthy', 'false\n')],
      [
        running('interpretDependency', ...ofDesired),
        one('dependencies', '- apiVersion: v1\n  kind: Secret\n  name: g\n  namespace: "n"\n'),
      ],
    ];
    for (const [args, stdout, input] of table)
      t.strictSame(await interpret(args, input), { code: 0, stdout, stderr: '' }, String(args[3]));
  });

  await t.test('checks', async t => {
    const rules = (results: readonly string[]): string =>
      ['Retain', 'InterpretReplica', 'InterpretComponent', 'ReviseReplica', 'InterpretStatus', 'AggregateStatus']
        .concat('InterpretHealth', 'InterpretDependency')
        .map((name, i) => `${`    ${name}:`.padEnd(Math.max(27, target.length))}${results[i]}\n`)
        .join('');
    let target = 'TARGET: example.com/v1 Game   ';
    const line = '-----------------------------------\n';
    const fine = `${line}SOURCE: games\n${target}\nRULERS:\n${rules(Array<string>(8).fill('PASS'))}`;
    t.strictSame(await interpret(['-f', at('customization'), '--check']), { code: 0, stdout: fine, stderr: '' });
    t.strictSame(await interpret(['-f', '-', '--check'], customization), { code: 0, stdout: fine, stderr: '' });

    const kind = '{ apiVersion: config.karmada.io/v1alpha1, kind: ResourceInterpreterCustomization, ';
    const wrong = `${kind}metadata: { name: 5 }, spec: { target: { apiVersion: v1, kind: Pod }, customizations: { retention: { luaScript: 5 } } } }`;
    const checked = await interpret(
      ['-f', '-', '--check'],
      [wrong, `${kind}metadata: null, spec: 5 }`].join('\n---\n'),
    );
    t.match(checked, { code: 1, stdout: /Retain: +UNSET/, stderr: '' }, 'values of a wrong type count as absent');
    t.ok(checked.stdout.endsWith('target.kind no set\n'));

    const { code, stdout, stderr } = await interpret(['-f', at('faulty'), '--check']);
    t.strictSame([code, stderr], [1, '']);
    target = 'TARGET: v1 Pod   ';
    const lines = stdout.split('\n');
    t.equal(
      lines.slice(0, 10).join('\n') + '\n',
      `${line}SOURCE: other\nnot a ResourceInterpreterCustomization, got /v1, Kind=Secret\n` +
        `${line}SOURCE: no-version\ntarget.apiVersion no set\n${line}SOURCE: ${at('faulty')}\ntarget.kind no set\n${line}`,
    );
    t.strictSame(lines.slice(10, 13), ['SOURCE: syntax', 'TARGET: v1 Pod   ', 'RULERS:']);
    t.match(lines[13], /^ {4}Retain: {16}ERROR: <string> .* {3}$/);
    t.equal(lines[14], '    InterpretReplica:      PASS');
    t.equal(lines[15], '    InterpretComponent:    UNSET');
    t.equal(lines[17]?.length, lines[18]?.length, 'errors below each other have one width');
    t.equal(lines[20], '    InterpretDependency:   PASS', 'scripts are not run');
  });

  await t.test('folders and URLs', async t => {
    const nested = path.join(folder, 'all', 'nested');
    await fs.mkdir(nested, { recursive: true });
    await fs.writeFile(path.join(nested, 'c.yml'), customization);
    await fs.writeFile(path.join(folder, 'all', 'notes.txt'), 'no YAML: [');
    const all = path.join(folder, 'all');
    t.match(await interpret(['-f', all, '--check']), {
      code: 1,
      stderr: /recognized file extensions are \[.json .yaml .yml\]/,
    });
    t.match(await interpret(['-R', '-f', all, '--check']), { code: 0, stdout: /SOURCE: games/ });
    const server = http.createServer(({ url }, response) => {
      response.writeHead(url === '/observed.yaml' ? 200 : 404).end(observed);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    t.match(await interpret(running('interpretStatus', '--observed-file', `${url}/observed.yaml`)), {
      code: 0,
      stdout: '---\n# [1/1] status:\nup: 2\n',
    });
    t.match(await interpret(running('interpretStatus', '--observed-file', `${url}/missing.yaml`)), {
      code: 1,
      stderr: `error: unable to read URL "${url}/missing.yaml", server reported 404 Not Found, status code=404\n`,
    });
  });

  await t.test('failures', async t => {
    const script = 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n';
    const table: readonly [args: string[], code: number, stderr: string | RegExp, input?: string][] = [
      [[], 1, 'error: -f names no file with customizations\n'],
      [['-f', at('customization')], 1, 'error: operation is not set for executing\n'],
      [
        running('retian'),
        1,
        'error: operation retian is not supported. Use one of: Retain, InterpretReplica, InterpretComponent, ReviseReplica, InterpretStatus, AggregateStatus, InterpretHealth, InterpretDependency\n',
      ],
      [['-f', '/no/such', '--check'], 1, 'error: the path "/no/such" does not exist\n'],
      [['-f', at('faulty'), '--operation', 'retain'], 1, /^error: fail to get customization object: not a Resource/],
      [running('retain', '--desired-file', at('faulty')), 1, /fail to get desired object: get 4 objects, expect one/],
      [running('retain', '--desired-file', at('empty')), 1, /fail to get desired object: there is none in/],
      [running('retain', '--desired-file', at('kindless')), 1, /Object 'Kind' is missing in '\{"a":1\}'\n$/],
      [
        running('retain', '--desired-file', '-', '--observed-file', '-'),
        1,
        /standard input cannot be used for multiple/,
      ],
      [['-f', '-', '--check'], 1, /^error: error parsing STDIN: /, 'a: [b'],
      [running('retain'), 0, 'Execute Retain error: desired, desired-file options are not set\n'],
      [running('retain', ...ofDesired), 0, 'Execute Retain error: observed, observed-file options are not set\n'],
      [
        running('interpretHealth'),
        0,
        'Execute InterpretHealth error: desired-file, observed-file options are not set\n',
      ],
      [
        running('interpretHealth', ...ofDesired, ...ofObserved),
        0,
        'Execute InterpretHealth error: you can not specify both desired-file and observed-file options\n',
      ],
      [
        running('interpretHealth', '--observed-file', '-'),
        0,
        'Execute InterpretHealth error: rule is not enabled\n',
        script,
      ],
      [running('interpretHealth', ...ofDesired), 0, /^Execute InterpretHealth error: .*attempt to index/],
    ];
    for (const [args, code, stderr, input] of table)
      t.match(await interpret(args, input), { code, stdout: '', stderr }, args.slice(2).join(' '));
  });

  const example = 'examples/interpreter-customization';
  t.match(
    await interpret([
      ...['-f', `${example}/customization.yaml`, '--operation', 'interpretReplica'],
      ...['--desired-file', `${example}/game.yaml`],
    ]),
    { code: 0, stdout: '---\n# [1/2] replica:\n3\n---\n# [2/2] requires:\nnull\n' },
    'the example of the documentation',
  );
});
