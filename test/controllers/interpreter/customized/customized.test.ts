/** ResourceInterpreterCustomizations as a tier of the interpreter. */
import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { customizedInterpreter } from '../../../../controllers/interpreter/customized/customized.js';
import { mergeRules } from '../../../../controllers/interpreter/customized/rules.js';
import { ScriptRunner } from '../../../../controllers/interpreter/lua/runner.js';
import { nativeInterpreter } from '../../../../controllers/interpreter/native/native.js';
import { tieredInterpreter } from '../../../../controllers/interpreter/tiers.js';

const runner = new ScriptRunner();
t.teardown(() => runner.close());

const game = { group: 'example.com', version: 'v1', kind: 'Game' };
const object: KubeObject = {
  ...{ apiVersion: 'example.com/v1', kind: 'Game', metadata: { name: 'g', namespace: 'n' } },
  spec: { size: 2, labels: {} },
  status: { up: 2 },
};

const customization = (name: string, scripts: Readonly<Record<string, string>>, kind = 'Game'): KubeObject => ({
  ...{ apiVersion: 'config.karmada.io/v1alpha1', kind: 'ResourceInterpreterCustomization', metadata: { name } },
  spec: {
    target: { apiVersion: kind === 'Game' ? 'example.com/v1' : 'apps/v1', kind },
    customizations: Object.fromEntries(Object.entries(scripts).map(([field, luaScript]) => [field, { luaScript }])),
  },
});

function interpreting(...customizations: KubeObject[]) {
  const rules = mergeRules(customizations);
  return tieredInterpreter([customizedInterpreter(runner, () => rules), nativeInterpreter]);
}

t.test('every operation', async t => {
  const i = interpreting(
    customization('all', {
      replicaResource: 'function GetReplicas(o) return o.spec.size, {resourceRequest = {cpu = "0.5"}, unknown = 1} end',
      componentResource: 'function GetComponents(o) return {{name = "a", replicas = o.spec.size}} end',
      replicaRevision: 'function ReviseReplica(o, n) o.spec.size = n return o end',
      retention: 'function Retain(d, o) d.spec.size = o.spec.size return d end',
      statusReflection: 'function ReflectStatus(o) return {up = o.status.up} end',
      statusAggregation: `function AggregateStatus(o, items)
        o.status = {up = 0}
        for _, item in ipairs(items) do o.status.up = o.status.up + item.status.up end
        return o
      end`,
      healthInterpretation: 'function InterpretHealth(o) return o.status.up == o.spec.size end',
      dependencyInterpretation: `function GetDependencies(o)
        return {{apiVersion = "v1", kind = "Secret", namespace = "n", name = "s"}}
      end`,
    }),
  );
  t.strictSame(await i.replicas(object), { replicas: 2, requirements: { resourceRequest: { cpu: '500m' } } });
  t.strictSame(await i.components(object), [{ name: 'a', replicas: 2 }]);
  t.strictSame((await i.reviseReplica(object, 5))['spec'], { size: 5, labels: {} }, 'an empty object stays one');
  t.strictSame((await i.retain(object, { ...object, spec: { size: 9 } }))['spec'], { size: 9, labels: {} });
  t.strictSame(await i.reflectStatus(object), { up: 2 });
  const items = [1, 2].map(up => ({ clusterName: `m${up}`, status: { up } }));
  t.strictSame((await i.aggregateStatus(object, items))['status'], { up: 3 });
  t.equal(await i.health(object), 'Healthy');
  t.strictSame(await i.dependencies(object), [{ apiVersion: 'v1', kind: 'Secret', namespace: 'n', name: 's' }]);
});

t.test('results of wrong types are refused', async t => {
  const given = (field: string, script: string) => interpreting(customization('wrong', { [field]: script }));
  const table = [
    [
      () => given('replicaResource', 'function GetReplicas() return "x" end').replicas(object),
      'result type 3 is not number',
    ],
    [
      () => given('replicaResource', 'function GetReplicas() return 1, 2 end').replicas(object),
      'expect the returned requires type is table but got number',
    ],
    [
      () =>
        given('replicaResource', 'function GetReplicas() return 1, {resourceRequest = {cpu = "x"}} end').replicas(
          object,
        ),
      /quantities must match/,
    ],
    [() => given('healthInterpretation', 'function InterpretHealth() end').health(object), 'result type 0 is not bool'],
    [
      () => given('replicaRevision', 'function ReviseReplica() return {a = 1} end').reviseReplica(object, 1),
      /is missing in the returned object/,
    ],
    [
      () =>
        given('dependencyInterpretation', 'function GetDependencies() return {{kind = "A"}} end').dependencies(object),
      /missing required apiVersion/,
    ],
    [
      () => given('componentResource', 'function GetComponents() return 1 end').components(object),
      "expected result type 'table' or 'nil' from GetComponents, but got 'number'",
    ],
  ] as const;
  for (const [interpret, message] of table)
    await t.rejects(async () => interpret(), { name: 'ExpectedError', message }, String(message));
});

t.test('numbers of replicas are int32', async t => {
  const replicas = async (value: string) =>
    interpreting(customization('r', { replicaResource: `function GetReplicas() return ${value} end` })).replicas(
      object,
    );
  const component = async (value: string) =>
    interpreting(
      customization('c', { componentResource: `function GetComponents() return {{replicas = ${value}}} end` }),
    ).components(object);
  for (const value of ['2147483647', '-2147483648']) {
    t.match(await replicas(value), { replicas: Number(value) });
    t.match(await component(value), [{ replicas: Number(value) }]);
  }
  t.match(await replicas('2.9'), { replicas: 2 }, 'the fraction is dropped');
  for (const value of ['2147483648', '-2147483649', '1e300']) {
    await t.rejects(replicas(value), { name: 'ExpectedError', message: /is out of the range of int32/ }, value);
    await t.rejects(component(value), { name: 'ExpectedError', message: /cannot unmarshal number/ }, value);
  }
});

t.test('messages about results have a limit', async t => {
  const long = 'local s = "x" for i = 1, 19 do s = s .. s end';
  for (const fields of ['namespace = s', 'labelSelector = {matchLabels = {a = s}}']) {
    const script = `function GetDependencies() ${long} return {{apiVersion = "v1", kind = "A", ${fields}}} end`;
    const i = interpreting(customization('long', { dependencyInterpretation: script }));
    const error = await Promise.resolve(i.dependencies(object)).catch((error: unknown) => error as Error);
    t.match(error, { name: 'ExpectedError', message: /^.{1000}$/ }, fields);
  }
});

t.test('results have a limited number of items', async t => {
  const many = (count: number, item: string) => `local t = {} for i = 1, ${count} do t[i] = {${item}} end return t`;
  const components = (count: number) =>
    interpreting(
      customization('many', { componentResource: `function GetComponents() ${many(count, 'name = "a" .. i')} end` }),
    ).components(object);
  const dependencies = (...counts: number[]) =>
    interpreting(
      ...counts.map((count, owner) =>
        customization(`owner${owner}`, {
          dependencyInterpretation: `function GetDependencies()
            ${many(count, `apiVersion = "v1", kind = "A", name = "${owner}-" .. (${count} - i)`)}
          end`,
        }),
      ),
    ).dependencies(object);
  t.equal((await components(1_000)).length, 1_000);
  await t.rejects(async () => components(1_001), { message: 'there are 1001 components, which is more than 1000' });
  const names = (await dependencies(600, 400)).map(({ name = '' }) => name);
  t.strictSame(names, [...names].sort());
  t.equal(names.length, 1_000);
  await t.rejects(async () => dependencies(1_001), { message: 'there are 1001 dependencies, which is more than 1000' });
  await t.rejects(async () => dependencies(600, 401), { message: /there are 1001 dependencies/ });
});

t.test('the first name counts, dependencies all', async t => {
  const secret = (name: string) =>
    `function GetDependencies() return {{apiVersion = "v1", kind = "Secret", namespace = "n", name = "${name}"}} end`;
  const i = interpreting(
    customization('b', {
      replicaResource: 'function GetReplicas() return 2 end',
      dependencyInterpretation: secret('b'),
    }),
    customization('a', {
      replicaResource: 'function GetReplicas() return 1 end',
      dependencyInterpretation: secret('a'),
    }),
  );
  t.match(await i.replicas(object), { replicas: 1 });
  t.strictSame(
    (await i.dependencies(object)).map(({ name }) => name),
    ['a', 'b'],
  );
});

t.test('a customization precedes the native interpreter for its operation only', async t => {
  const deployment: KubeObject = {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd', namespace: 'n' } },
    spec: { replicas: 3, template: { spec: { containers: [] } } },
  };
  const i = interpreting(
    customization('d', { replicaResource: 'function GetReplicas() return 7 end', retention: '' }, 'Deployment'),
  );
  t.match(await i.replicas(deployment), { replicas: 7 });
  t.match(await i.reviseReplica(deployment, 4), { spec: { replicas: 4 } });
  t.equal(i.has(game, 'InterpretReplica'), false);
  t.equal(i.has(game, 'InterpretStatus'), true, 'the status of every kind is reflected');
});
