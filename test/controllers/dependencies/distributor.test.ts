/** Which bindings follow another one, and when they stop. as pkg/dependenciesdistributor DependenciesDistributor */
import t, { type Test } from 'tap';
import { forbidden } from '../../../apimachinery/errors/status.js';
import type { GroupVersionKind, KubeObject } from '../../../apimachinery/interface.js';
import { bindingName, bindingReferenceKey } from '../../../api/karmada/names.js';
import type { Binding, BindingSpec } from '../../../api/karmada/types.js';
import { annotations, finalizers, labels, resources } from '../../../api/karmada/well-known.js';
import { find } from '../../../client/find.js';
import type { Client } from '../../../client/interface.js';
import { dependedLabel } from '../../../controllers/dependencies/attached.js';
import { startDependenciesDistributor } from '../../../controllers/dependencies/distributor.js';
import type { DependentReference, Interpreter } from '../../../controllers/interpreter/interface.js';
import { nativeInterpreter } from '../../../controllers/interpreter/native/native.js';
import { watchTemplates } from '../../../controllers/policy/templates.js';
import { core, object } from '../../aggregation/fleet.js';
import type { TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { runningControllers, withVerbs } from '../one-controller.js';

const namespace = 'default';
const [maps, secrets, events] = [core('configmaps'), core('secrets'), core('events')];
const { resourceBindings } = resources;

/** An interpreter of ConfigMaps by what a test says that they refer to. The other operations are those of native kinds. */
class Referring {
  readonly references = new Map<string, readonly DependentReference[]>();
  isEnabled = true;

  has({ kind }: GroupVersionKind): boolean {
    return this.isEnabled && kind === 'ConfigMap';
  }

  dependencies({ metadata: { name = '' } }: KubeObject): readonly DependentReference[] {
    return this.references.get(name) ?? [];
  }

  get interpreter(): Interpreter {
    return {
      ...nativeInterpreter,
      has: kind => this.has(kind),
      dependencies: template => this.dependencies(template),
    };
  }
}

const secret = (name: string): DependentReference => ({ apiVersion: 'v1', kind: 'Secret', namespace, name });

/** A server with the distributor and no other controllers. */
class Scene {
  readonly client: Client;
  readonly referring: Referring;

  constructor({ client }: TestServer, referring: Referring) {
    this.client = client;
    this.referring = referring;
  }

  secret(name: string, more: object = {}): Promise<KubeObject> {
    return this.client.create(secrets, object('v1', 'Secret', name, { metadata: { namespace, ...more } }));
  }

  template(name: string): Promise<KubeObject> {
    return this.client.create(maps, object('v1', 'ConfigMap', name, { metadata: { namespace } }));
  }

  /** Creates a ConfigMap that refers to others, and its binding, which is scheduled to a cluster. */
  async parent(
    name: string,
    references: readonly DependentReference[],
    spec: Partial<BindingSpec> = {},
  ): Promise<Binding> {
    this.referring.references.set(name, references);
    await this.template(name);
    return this.parentBinding(name, spec);
  }

  async parentBinding(name: string, spec: Partial<BindingSpec> = {}): Promise<Binding> {
    const binding = object('work.karmada.io/v1alpha2', 'ResourceBinding', bindingName('ConfigMap', name), {
      metadata: { namespace },
      spec: {
        resource: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name },
        ...{ propagateDeps: true, placement: {}, clusters: [{ name: `of-${name}` }] },
        ...spec,
      },
    });
    return (await this.client.create(resourceBindings, binding)) as Binding;
  }

  bindingOf(kind: 'ConfigMap' | 'Secret', name: string): Promise<Binding | undefined> {
    return find(this.client, resourceBindings, { namespace, name: bindingName(kind, name) }) as Promise<
      Binding | undefined
    >;
  }

  async patch(kind: 'ConfigMap' | 'Secret', name: string, patch: object): Promise<void> {
    await this.client.patch(
      resourceBindings,
      { namespace, name: bindingName(kind, name) },
      { type: 'merge', patch: { ...patch } },
    );
  }

  deleteParent(name: string): Promise<void> {
    return this.client.delete(resourceBindings, { namespace, name: bindingName('ConfigMap', name) });
  }

  /** Resolves when the binding of a Secret follows the bindings of these ConfigMaps, in their order. */
  async followers(name: string, parents: readonly string[]): Promise<void> {
    await until(`${name} follows ${parents.join()}`, async () => {
      const followed = (await this.bindingOf('Secret', name))?.spec.requiredBy ?? [];
      return followed.map(parent => parent.name).join() === parents.map(p => bindingName('ConfigMap', p)).join();
    });
  }

  /** Resolves when there is an Event with this reason whose message has the text. */
  async told(reason: string, text: string): Promise<void> {
    await until(`${reason}: ${text}`, async () => {
      const { items } = await this.client.list(events, { namespace });
      return items.some(event => event['reason'] === reason && String(event['message']).includes(text));
    });
  }
}

async function start(t: Test, wrap?: (client: Client) => Client): Promise<Scene> {
  const referring = new Referring();
  const server = await runningControllers(
    t,
    async context => {
      const templates = await watchTemplates(context, { skippedNamespaces: [] });
      startDependenciesDistributor(context, { templates, interpreter: referring.interpreter });
    },
    wrap && { wrap },
  );
  return new Scene(server, referring);
}

t.test('what a template refers to follows it, and stops when it does not refer to it any more', async t => {
  const scene = await start(t);
  const tier = (value: string): object => ({ labels: { tier: value } });
  await scene.secret('named');
  await scene.secret('labelled', tier('a'));
  await scene.secret('other', tier('b'));
  const labelled = { apiVersion: 'v1', kind: 'Secret', namespace, labelSelector: { matchLabels: { tier: 'a' } } };
  const parent = await scene.parent('app', [secret('named'), labelled, secret('late')]);
  for (const name of ['named', 'labelled']) await scene.followers(name, ['app']);
  const attached = await scene.bindingOf('Secret', 'named');
  t.same(attached?.spec.requiredBy, [
    { namespace, name: bindingName('ConfigMap', 'app'), clusters: [{ name: 'of-app' }] },
  ]);
  t.same(attached?.metadata.finalizers, [finalizers.binding]);
  t.same(
    attached?.metadata.ownerReferences?.map(({ name, controller }) => [name, controller]),
    [['named', true]],
  );
  t.equal(attached?.metadata.labels?.[dependedLabel(parent)], parent.metadata.labels?.[labels.resourceBindingId]);
  t.equal(attached?.spec.placement, undefined);
  t.equal(await scene.bindingOf('Secret', 'other'), undefined);

  await scene.secret('late');
  await scene.followers('late', ['app']);
  await scene.client.patch(secrets, { namespace, name: 'labelled' }, { type: 'merge', patch: { metadata: tier('b') } });
  await scene.followers('labelled', []);

  scene.referring.references.set('app', [secret('late')]);
  await scene.patch('ConfigMap', 'app', { spec: { clusters: [{ name: 'elsewhere' }] } });
  await scene.followers('named', []);
  await until('the late one moves', async () => {
    const [followed] = (await scene.bindingOf('Secret', 'late'))?.spec.requiredBy ?? [];
    return followed?.clusters?.[0]?.name === 'elsewhere';
  });
  await scene.patch('ConfigMap', 'app', { spec: { propagateDeps: false } });
  await scene.followers('late', []);
  await until('the finalizer is removed', async () => {
    const { metadata } = (await scene.bindingOf('ConfigMap', 'app')) ?? {};
    return metadata !== undefined && !metadata.finalizers?.includes(finalizers.dependenciesDistributor);
  });
});

t.test('one binding that cannot be detached keeps the parent, and no other binding', async t => {
  let isRefused = true;
  const scene = await start(t, client => {
    const update: Client['update'] = (resource, next, options) =>
      isRefused && next.metadata.name === bindingName('Secret', 'a') && !(next as Binding).spec.requiredBy
        ? Promise.reject(forbidden({ group: 'work.karmada.io', resource: 'resourcebindings' }, 'a', 'by a policy'))
        : client.update(resource, next, options);
    return withVerbs(client, { update });
  });
  const names = ['a', 'b', 'c'];
  for (const name of names) await scene.secret(name);
  await scene.parent('app', names.map(secret));
  for (const name of names) await scene.followers(name, ['app']);
  await scene.deleteParent('app');
  for (const name of ['b', 'c']) await scene.followers(name, []);
  await scene.followers('a', ['app']);
  t.same((await scene.bindingOf('ConfigMap', 'app'))?.metadata.finalizers, [finalizers.dependenciesDistributor]);
  isRefused = false;
  await scene.followers('a', []);
  await until('the parent goes', async () => (await scene.bindingOf('ConfigMap', 'app')) === undefined);
});

t.test('bindings are detached from a parent whose id has changed', async t => {
  const scene = await start(t);
  await scene.secret('a');
  const { metadata } = await scene.parent('app', [secret('a')]);
  await scene.followers('a', ['app']);
  const id = labels.resourceBindingId;
  await scene.patch('ConfigMap', 'app', { metadata: { labels: { [id]: null } } });
  t.not((await scene.bindingOf('ConfigMap', 'app'))?.metadata.labels?.[id], metadata.labels?.[id]);
  await scene.deleteParent('app');
  await scene.followers('a', []);
  const { metadata: left } = (await scene.bindingOf('Secret', 'a')) ?? {};
  t.notOk(Object.keys(left?.labels ?? {}).some(label => label.startsWith(labels.dependedByPrefix)));
});

/** Returns two names of ConfigMaps whose bindings have the same label on what follows them. */
function namesOfOneLabel(): readonly [string, string] {
  const names = new Map<string, string>();
  for (let i = 0; ; i++) {
    const name = `p${i}`;
    const label = bindingReferenceKey(namespace, bindingName('ConfigMap', name));
    const known = names.get(label);
    if (known !== undefined) return [known, name];
    names.set(label, name);
  }
}

t.test('a parent leaves the bindings of another one alone, although the label that marks them is the same', async t => {
  const scene = await start(t);
  await scene.secret('a');
  await scene.secret('b');
  const [one, other] = namesOfOneLabel();
  await scene.parent(one, [secret('a')]);
  await scene.followers('a', [one]);
  await scene.parent(other, [secret('b')]);
  await scene.followers('b', [other]);
  await scene.deleteParent(other);
  await scene.followers('b', []);
  await scene.followers('a', [one]);
  await scene.deleteParent(one);
  await scene.followers('a', []);
});

t.test('bindings of a kind whose dependencies are not interpreted any more stay until their parent goes', async t => {
  const scene = await start(t);
  await scene.secret('a');
  await scene.secret('of-another');
  await scene.parent('app', [secret('a')]);
  await scene.followers('a', ['app']);
  scene.referring.isEnabled = false;
  await scene.patch('ConfigMap', 'app', { spec: { clusters: [{ name: 'elsewhere' }] } });
  await scene.parent('uninterpreted', [secret('of-another')]);
  await scene.parent('marker', []);
  await scene.deleteParent('marker');
  await until('the marker is gone', async () => (await scene.bindingOf('ConfigMap', 'marker')) === undefined);
  await scene.followers('a', ['app']);
  t.equal(await scene.bindingOf('Secret', 'of-another'), undefined);
  await scene.deleteParent('app');
  await scene.followers('a', []);
  await until('the parent goes', async () => (await scene.bindingOf('ConfigMap', 'app')) === undefined);
});

t.test('a reference that cannot be followed does not stop the others', async t => {
  const scene = await start(t);
  await scene.secret('a');
  const unserved = { apiVersion: 'example.com/v1', kind: 'Foo', namespace, name: 'foo' };
  await scene.parent('app', [unserved, { apiVersion: 'v1', kind: 'Secret', namespace }, secret('a')]);
  await scene.followers('a', ['app']);
  const failed = 'SyncScheduleResultToDependenciesFailed';
  await scene.told(failed, 'no matches for kind "Foo" in version "example.com/v1"');
  await scene.told(failed, 'the Name and LabelSelector in the DependentObjectReference cannot be empty');
  const parent = await scene.bindingOf('ConfigMap', 'app');
  t.match(parent?.metadata.annotations?.[annotations.dependencies], /"kind":"Foo"/);
});

t.test('the settings of all parents decide, unless a policy selects the dependency', async t => {
  const scene = await start(t);
  await scene.secret('shared');
  await scene.secret('claimed');
  const placement = { clusterAffinity: { clusterNames: ['m'] } };
  const claimed = object('work.karmada.io/v1alpha2', 'ResourceBinding', bindingName('Secret', 'claimed'), {
    metadata: { namespace },
    spec: { resource: { apiVersion: 'v1', kind: 'Secret', namespace, name: 'claimed' }, placement },
  });
  await scene.client.create(resourceBindings, claimed);
  const both = [secret('shared'), secret('claimed')];
  const settingsOf = async (name: string): Promise<unknown[]> => {
    const { conflictResolution, preserveResourcesOnDeletion } = (await scene.bindingOf('Secret', name))?.spec ?? {};
    return [conflictResolution, preserveResourcesOnDeletion];
  };
  await scene.parent('one', both);
  for (const name of ['shared', 'claimed']) await scene.followers(name, ['one']);
  t.same(await settingsOf('shared'), ['Abort', false]);
  const second: Partial<BindingSpec> = { conflictResolution: 'Overwrite', preserveResourcesOnDeletion: true };
  await scene.parent('two', both, second);
  for (const name of ['shared', 'claimed']) await scene.followers(name, ['one', 'two']);
  t.same(await settingsOf('shared'), ['Overwrite', true]);
  t.same(await settingsOf('claimed'), ['Abort', undefined], 'the default of the API');
  t.same((await scene.bindingOf('Secret', 'claimed'))?.spec.placement, placement);
  const reasons =
    'ConflictResolution conflicted (Overwrite vs Abort); PreserveResourcesOnDeletion conflicted (true vs false)';
  await scene.told('DependencyPolicyConflict', `Dependency policy conflict detected: ${reasons}.`);

  await scene.deleteParent('two');
  for (const name of ['shared', 'claimed']) await scene.followers(name, ['one']);
  t.same(await settingsOf('shared'), ['Abort', false]);
  await scene.deleteParent('one');
  for (const name of ['shared', 'claimed']) await scene.followers(name, []);
  t.same(await settingsOf('shared'), ['Abort', undefined]);
});

t.test('the template of a binding may be seen after the binding', async t => {
  const scene = await start(t);
  await scene.secret('a');
  await scene.secret('b');
  scene.referring.references.set('late', [secret('a')]);
  await scene.parentBinding('late');
  await scene.parent('app', [secret('b')]);
  await scene.followers('b', ['app']);
  await scene.template('late');
  await scene.followers('a', ['late']);
});

t.test('a binding of a former template is not attached; once it is gone, the new one is', async t => {
  const scene = await start(t);
  const { metadata } = await scene.secret('a');
  const owner = { apiVersion: 'v1', kind: 'Secret', name: 'a', controller: true };
  const former = object('work.karmada.io/v1alpha2', 'ResourceBinding', bindingName('Secret', 'a'), {
    metadata: { namespace, ownerReferences: [{ ...owner, uid: '00000000-0000-4000-8000-000000000000' }] },
    spec: { resource: { apiVersion: 'v1', kind: 'Secret', namespace, name: 'a' } },
  });
  await scene.client.create(resourceBindings, former);
  await scene.secret('b');
  await scene.parent('app', [secret('a'), secret('b')]);
  await scene.followers('b', ['app']);
  await scene.followers('a', []);
  await scene.client.delete(resourceBindings, { namespace, name: bindingName('Secret', 'a') });
  await scene.followers('a', ['app']);
  t.equal((await scene.bindingOf('Secret', 'a'))?.metadata.ownerReferences?.[0]?.uid, metadata.uid);
});
