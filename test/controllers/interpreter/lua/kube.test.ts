/** The `kube` library of scripts. */
import t from 'tap';
import { LuaVm } from '../../../../controllers/interpreter/lua/vm.js';
import { loadLuaBinary } from '../../../../lib/lua/engine.js';

const limits = { instructions: 1e9, memory: 48 << 20, resultLength: 1 << 20, resultValues: 1_000 };
const vm = new LuaVm({
  ...{ binary: loadLuaBinary(), limits, now: () => 0 },
  ...{ elapsed: () => 0, random: () => 0 },
});

/** Returns what the expression is, in which `o` is the object and `p` the second argument; or the message of its failure. */
function returned(expression: string, ...args: unknown[]): unknown {
  const script = `local kube = require("kube") function F(o, p) return ${expression} end`;
  const outcome = vm.run({ script, name: 'F', args, results: [{ empty: 'object', references: [] }] }, 1);
  return 'results' in outcome ? outcome.results[0]?.value : outcome.message;
}

t.test('resourceAdd writes the sum in the format of the first amount', async t => {
  const table = [
    ['kube.resourceAdd()', '0'],
    ['kube.resourceAdd(nil)', '0'],
    ['kube.resourceAdd(nil, "1", nil)', '1'],
    ['kube.resourceAdd("0.5")', '500m'],
    ['kube.resourceAdd("1", "500m")', '1500m'],
    ['kube.resourceAdd("1024Mi")', '1Gi'],
    ['kube.resourceAdd("1Gi", "1G")', '2073741824'],
    ['kube.resourceAdd("1G", "1Gi")', '2073741824'],
    ['kube.resourceAdd("0", "1Gi")', '1Gi'],
    ['kube.resourceAdd("0Ki", "1000m")', '1'],
    ['kube.resourceAdd("1", "-1", "1Ki")', '1Ki'],
    ['kube.resourceAdd("1e3", "1")', '1001'],
  ] as const;
  for (const [expression, expected] of table) t.equal(returned(expression), expected, expression);
});

t.test('amounts that are none', async t => {
  const table = [
    ['kube.resourceAdd("1 ")', /^<string>:1: cannot parse '1 ': quantities must match/],
    ['kube.resourceAdd("")', /^<string>:1: cannot parse '': quantities must match/],
    ['kube.resourceAdd("1", 2)', '<string>:1: bad argument #2 to resourceAdd (string expected, got number)'],
    [
      'kube.getResourceQuantity(true)',
      '<string>:1: bad argument #1 to getResourceQuantity (string expected, got boolean)',
    ],
    ['kube.getResourceQuantity()', '<string>:1: getResourceQuantity only accepts one argument'],
    ['kube.getResourceQuantity("-1")', /int approximation unexpectedly returned a negative value/],
  ] as const;
  for (const [expression, expected] of table) t.match(returned(expression), expected, expression);
  t.equal(returned('(pcall(kube.resourceAdd, "x"))'), false, 'the script may catch it');
  t.ok(String(returned('kube.resourceAdd(o)', 'x'.repeat(1_000_000))).length <= 1_000, 'the message is short');
});

t.test('getResourceQuantity', async t => {
  t.equal(returned('kube.getResourceQuantity("1500m")'), 1.5);
  t.equal(returned('kube.getResourceQuantity("1Gi")'), 1024 ** 3);
  t.equal(returned('kube.getResourceQuantity(nil)'), 0);
});

const containers = [
  { resources: { requests: { cpu: '1' }, limits: { memory: '1Gi' } } },
  { resources: { requests: { cpu: '500m' } } },
];

t.test('accuratePodRequirements', async t => {
  t.strictSame(returned('kube.accuratePodRequirements(o)', { spec: { containers, nodeSelector: { a: 'b' } } }), {
    nodeClaim: { nodeSelector: { a: 'b' } },
    resourceRequest: { cpu: '1500m', memory: '1Gi' },
  });
  t.equal(returned('kube.accuratePodRequirements({}) == nil'), true);
  const table = [
    ['kube.accuratePodRequirements()', '<string>:1: getPodRequirements only accepts one argument'],
    ['kube.accuratePodRequirements(1, 2)', '<string>:1: getPodRequirements only accepts one argument'],
    ['kube.accuratePodRequirements("x")', /bad argument #1 to accuratePodRequirements \(table expected, got string\)/],
    ['kube.accuratePodRequirements({1})', /fail to convert lua value to PodTemplateSpec/],
    ['kube.accuratePodRequirements({f = kube.resourceAdd})', /cannot encode function to JSON/],
  ] as const;
  for (const [expression, expected] of table) t.match(returned(expression), expected, expression);
});

t.test('a template with too many values is refused, and the script may catch that', async t => {
  const fill = 'local t = {} for i = 1, 20001 do t[i] = i end';
  const refused = returned(`(function() ${fill} return {pcall(kube.accuratePodRequirements, {spec = t})} end)()`);
  t.match(refused, [false, /the result has more than 20000 values/]);
});

t.test('getPodDependencies', async t => {
  const template = { spec: { serviceAccountName: 'a', volumes: [{ configMap: { name: 'c' } }] } };
  const reference = (kind: string, namespace: string, name: string): object => ({
    ...{ apiVersion: 'v1', kind, namespace, name },
  });
  t.strictSame(returned('kube.getPodDependencies(o, p)', template, 'n'), [
    reference('ConfigMap', 'n', 'c'),
    reference('ServiceAccount', 'n', 'a'),
  ]);
  t.match(returned('kube.getPodDependencies(o, nil)', template), [{ namespace: 'default' }, { namespace: 'default' }]);
  t.match(returned('kube.getPodDependencies(o, 5)', template), [{ namespace: '5' }, { namespace: '5' }]);
  t.equal(returned('kube.getPodDependencies({}, "n") == nil'), true);
  const table = [
    ['kube.getPodDependencies(o)', 'getPodDependencies only accepts two argument'],
    ['kube.getPodDependencies(1, "n")', 'bad argument #1 to getPodDependencies (table expected, got number)'],
    ['kube.getPodDependencies({}, {})', 'bad argument #2 to getPodDependencies (string expected, got table)'],
  ] as const;
  for (const [expression, expected] of table)
    t.equal(returned(expression, template), `<string>:1: ${expected}`, expression);
});
