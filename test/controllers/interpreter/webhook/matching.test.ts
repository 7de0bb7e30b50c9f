/** Which webhook is called for an operation of a kind, and which tier answers. */
import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { customizedInterpreter } from '../../../../controllers/interpreter/customized/customized.js';
import { mergeRules } from '../../../../controllers/interpreter/customized/rules.js';
import { ScriptRunner } from '../../../../controllers/interpreter/lua/runner.js';
import type { KindInterpreter } from '../../../../controllers/interpreter/third-party/kind.js';
import { nativeInterpreter } from '../../../../controllers/interpreter/native/native.js';
import { tableInterpreter } from '../../../../controllers/interpreter/third-party/third-party.js';
import { tieredInterpreter } from '../../../../controllers/interpreter/tiers.js';
import { Hooks } from '../../../../controllers/interpreter/webhook/hooks.js';
import { startWebhook } from '../../../aggregation/webhooks.js';
import { answered, configuration, game, gameKind, hookOf, interpreters, patchOf, reply } from './interpreting.js';

const nowhere = { url: 'https://127.0.0.1:1', caBundle: '' };

t.test('rules', async t => {
  const hooks = new Hooks([
    configuration(
      'c',
      hookOf(nowhere, { name: 'a.example.com', operations: ['Retain', 'InterpretHealth'] }),
      hookOf(nowhere, { name: 'b.example.com', apiGroups: ['*'], apiVersions: ['v2'], kinds: ['*'] }),
      hookOf(nowhere, { name: 'c.example.com', apiGroups: [''], kinds: ['Pod', 'ConfigMap'] }),
      hookOf(nowhere, { name: 'd.example.com', more: { rules: undefined } }),
    ),
  ]);
  const name = (kind: object, operation: Parameters<Hooks['find']>[1]) =>
    hooks.find({ ...gameKind, ...kind }, operation)?.name;
  for (let round = 0; round < 2; round++) {
    t.equal(name({}, 'Retain'), 'c/a.example.com');
    t.equal(name({}, 'InterpretHealth'), 'c/a.example.com');
    t.equal(name({}, 'InterpretReplica'), undefined);
    t.equal(name({ kind: 'Toy' }, 'Retain'), undefined);
    t.equal(name({ version: 'v2', kind: 'Toy' }, 'InterpretReplica'), 'c/b.example.com');
    t.equal(name({ group: '', version: 'v2', kind: 'Pod' }, 'AggregateStatus'), 'c/b.example.com');
    t.equal(name({ group: '', kind: 'Pod' }, 'InterpretStatus'), 'c/c.example.com');
    t.equal(name({ group: 'apps', kind: 'Pod' }, 'InterpretStatus'), undefined);
  }
  t.equal(new Hooks([]).find(gameKind, 'Retain'), undefined);
});

t.test('the webhook with the first name is called, whatever the order of configurations', async t => {
  const [b, a] = ['b', 'a'].map(name => configuration(name, hookOf(nowhere, { name: 'w.example.com' })));
  const other = configuration(
    'c',
    hookOf(nowhere, { name: 'z.example.com' }),
    hookOf(nowhere, { name: 'y.example.com' }),
  );
  const first = (...configurations: (KubeObject | undefined)[]) =>
    new Hooks(configurations.filter(each => each !== undefined)).find(gameKind, 'Retain')?.name;
  t.equal(first(b, a), 'a/w.example.com');
  t.equal(first(a, b), 'a/w.example.com');
  t.equal(first(other), 'c/y.example.com');
});

t.test('many kinds are remembered up to a bound', async t => {
  const hooks = new Hooks([configuration('c', hookOf(nowhere, { kinds: ['*'] }))]);
  let found = 0;
  for (let n = 0; n < 25_000; n++) found += hooks.find({ ...gameKind, kind: `K${n}` }, 'Retain') ? 1 : 0;
  t.equal(found, 25_000);
});

t.test('a webhook comes after customizations, and before third-party and native kinds', async t => {
  const webhook = await startWebhook(t, review => {
    const { operation } = review['request'] as { operation: string };
    return reply(review, operation === 'InterpretReplica' ? { replicas: 3 } : { healthy: true, ...patchOf([]) });
  });
  const runner = new ScriptRunner();
  t.teardown(() => runner.close());
  const customization: KubeObject = {
    ...{ apiVersion: 'config.karmada.io/v1alpha1', kind: 'ResourceInterpreterCustomization', metadata: { name: 'c' } },
    spec: {
      target: { apiVersion: 'example.com/v1', kind: 'Game' },
      customizations: { replicaResource: { luaScript: 'function GetReplicas(o) return 1 end' } },
    },
  };
  const toy: KubeObject = { ...game, kind: 'Toy' };
  const deployment: KubeObject = {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd', namespace: 'n' } },
    spec: { replicas: 5, template: { spec: { containers: [] } } },
    status: {},
  };
  const third: KindInterpreter = {
    replicas: () => ({ replicas: 4, requirements: undefined }),
    health: () => 'Unhealthy',
  };
  const rules = mergeRules([customization]);
  const hook = hookOf(webhook, {
    ...{ operations: ['InterpretReplica', 'InterpretHealth'], apiGroups: ['example.com', 'apps'] },
    kinds: ['Game', 'Toy', 'Deployment'],
  });
  const interpreter = tieredInterpreter([
    customizedInterpreter(runner, () => rules),
    interpreters(t, [configuration('c', hook)])(),
    tableInterpreter({ 'example.com/v1/Toy': third, 'example.com/v1/Card': third }),
    nativeInterpreter,
  ]);
  const replicas = async (object: KubeObject) => (await answered(() => interpreter.replicas(object))).replicas;
  t.equal(await replicas(game), 1, 'the customization');
  t.equal(await answered(() => interpreter.health(game)), 'Healthy', 'the operation that it does not have');
  t.equal(await replicas(toy), 3, 'before third-party kinds');
  t.equal(await replicas({ ...game, kind: 'Card' }), 4, 'a kind that no rule has');
  t.equal(await replicas(deployment), 3, 'before native kinds');
  t.match(await interpreter.reviseReplica(deployment, 8), { spec: { replicas: 8 } }, 'an operation that no rule has');
  t.ok(interpreter.has(gameKind, 'InterpretHealth'));
  t.notOk(interpreter.has(gameKind, 'Retain'));
});
