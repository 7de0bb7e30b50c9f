/** What is known of a kind survives a 404 of the member, unless the member's discovery is without the kind. */
import t from 'tap';
import { resources } from '../../../api/karmada/well-known.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { TestServer } from '../../apiserver/running.js';
import { httpClient } from '../../apiserver/http-client.js';
import { until } from '../../authn/serve.js';
import { controlPlane, join, memberServer, object, setReady } from '../fleet.js';
import { FakeOpenSearch } from '../search-backends/fake-open-search.js';
import { frontOf, readerToken } from './front.js';

const crds = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const gadgets = { group: 'example.com', version: 'v1', resource: 'gadgets' };
const namespace = 'default';

const gadgetsCrd: KubeObject = object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'gadgets.example.com', {
  spec: {
    group: 'example.com',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

const gadget = (name: string): KubeObject => object('example.com/v1', 'Gadget', name, { metadata: { namespace } });

/** Creates an object once its kind is served. */
async function createGadget({ client }: TestServer, name: string): Promise<void> {
  await until(() =>
    client.create(gadgets, gadget(name)).then(
      () => true,
      () => false,
    ),
  );
}

t.test('a 404 removes nothing, unless the discovery is without the kind', async t => {
  const [control, member] = await Promise.all([controlPlane(t), memberServer(t)]);
  const front = await frontOf(t, member);
  for (const { client } of [control, member]) await client.create(crds, gadgetsCrd);
  for (const name of ['a', 'b']) await createGadget(member, name);
  await join(control, 'member1', { server: front.url, authority: front.authority, token: await readerToken(member) });
  await setReady(control, 'member1', 'True');
  const fake = new FakeOpenSearch();
  const openSearch = { addresses: [await fake.listen(t)] };
  const spec = {
    targetCluster: {},
    resourceSelectors: [{ apiVersion: 'example.com/v1', kind: 'Gadget' }],
    backendStore: { openSearch },
  };
  await control.client.create(
    resources.resourceRegistries,
    object('search.karmada.io/v1alpha1', 'ResourceRegistry', 'all', { spec }),
  );
  const ask = httpClient(t, control);
  const root = '/apis/search.karmada.io/v1alpha1/search/cache';
  const cached = async (): Promise<string> =>
    (await ask(`GET ${root}/apis/example.com/v1/gadgets`)).json.items.map(({ metadata }) => metadata.name).join();
  const found = async (): Promise<unknown> => (await ask(`GET ${root}?q=kind:Gadget`)).json['total'];
  const stored = (): number => fake.ids('kubernetes-gadget').length;
  await until(async () => (await cached()) === 'a,b' && stored() === 2 && (await found()) === 2);

  const refusals = [
    { what: 'the kind', refuses: (path: string) => path.startsWith('/apis/example.com/v1/gadgets') },
    { what: 'every path', refuses: () => true },
  ];
  const names = ['a', 'b'];
  for (const { what, refuses } of refusals) {
    Object.assign(front, { refuses, refused: 0 });
    front.breakStreams();
    // The second list begins after everything that follows from the answer to the first one.
    await until(() => front.refused >= 4);
    const { length } = names;
    t.same([await cached(), await found(), stored()], [names.join(), length, length], `404 for ${what}`);
    Object.assign(front, { refuses: () => false });
    names.push(`c${length}`);
    await createGadget(member, `c${length}`);
    await until(async () => (await found()) === names.length && stored() === names.length);
  }

  await member.client.delete(crds, { name: 'gadgets.example.com' });
  await until(async () => (await cached()) === '' && (await found()) === 0 && stored() === 0);
});
