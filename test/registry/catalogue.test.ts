import t from 'tap';
import { createCatalogue } from '../../registry/catalogue/catalogue.js';
import { nativeDefinitions } from '../../kinds/kubernetes/native.js';
import type { ResourceDefinition } from '../../registry/interface.js';

function some(plural: string): ResourceDefinition {
  const found = nativeDefinitions().find(d => d.plural === plural);
  if (!found) throw new Error(`no ${plural}`);
  return found;
}

t.test('definitions are found by resource and by kind, in each served version', t => {
  const hpa = some('horizontalpodautoscalers');
  const catalogue = createCatalogue([some('pods'), hpa]);
  t.equal(catalogue.find({ group: '', version: 'v1', resource: 'pods' }), some('pods'));
  for (const version of ['v1', 'v2']) {
    t.equal(catalogue.find({ group: 'autoscaling', version, resource: hpa.plural }), hpa);
    t.equal(catalogue.forKind({ group: 'autoscaling', version, kind: hpa.kind }), hpa);
  }
  t.equal(catalogue.find({ group: '', version: 'v2', resource: 'pods' }), undefined);
  t.same(
    catalogue.groups().map(({ name, versions }) => [name, versions]),
    [
      ['', ['v1']],
      ['autoscaling', ['v2', 'v1']],
    ],
  );
  t.end();
});

t.test('groups and their resources are sorted by name', t => {
  const names = ['deployments', 'daemonsets', 'horizontalpodautoscalers', 'configmaps', 'services', 'pods'];
  const groups = createCatalogue(names.map(some)).groups();
  t.same(
    groups.map(({ name, resources }) => [name, resources.map(({ plural }) => plural)]),
    [
      ['', ['configmaps', 'pods', 'services']],
      ['apps', ['daemonsets', 'deployments']],
      ['autoscaling', ['horizontalpodautoscalers']],
    ],
  );
  t.end();
});

t.test('listeners are called once per batch of changes, with one generation', t => {
  const catalogue = createCatalogue();
  const generations: number[] = [];
  const unsubscribe = catalogue.onChange(() => generations.push(catalogue.generation));
  catalogue.set(some('pods'));
  catalogue.batch(() => {
    catalogue.set(some('secrets'));
    catalogue.remove('', 'pods');
  });
  catalogue.remove('', 'pods');
  t.same(generations, [1, 2], 'without a change, listeners are not called');
  t.same(
    [...catalogue.all()].map(d => d.plural),
    ['secrets'],
  );
  unsubscribe();
  catalogue.set(some('pods'));
  t.equal(generations.length, 2);
  t.end();
});

t.test('a definition replaces the one with its name', t => {
  const pods = some('pods');
  const closed: ResourceDefinition = { ...pods, versions: pods.versions.map(v => ({ ...v, served: false })) };
  const catalogue = createCatalogue([pods]);
  catalogue.set(closed);
  t.equal(catalogue.find({ group: '', version: 'v1', resource: 'pods' }), undefined, 'no version is served');
  t.equal(catalogue.byPlural('', 'pods'), closed);
  t.same(catalogue.groups(), []);
  t.end();
});
