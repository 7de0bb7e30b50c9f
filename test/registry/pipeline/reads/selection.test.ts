/** Selectors of lists and watches. */
import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { ListQuery } from '../../../../client/interface.js';
import { keyRangeOf } from '../../../../registry/pipeline/reads/list.js';
import { selectEverything, parseSelectors, selectionOf } from '../../../../registry/pipeline/reads/selection.js';
import { configMap, configmaps, namespaces, pod, pods, refusalOf } from '../../serve.js';
import { openDeps } from '../deps.js';

t.test('a query without requirements selects everything', async t => {
  const { definition, scope } = await openDeps(t);
  for (const query of [{}, { labelSelector: '', fieldSelector: '' }, { labelSelector: ' ' }]) {
    const selectors = parseSelectors(query);
    t.equal(selectors, undefined, JSON.stringify(query));
    t.equal(selectionOf(definition(configmaps), scope(configmaps).version, selectors), selectEverything);
  }
});

t.test('objects are matched by labels and fields', async t => {
  const { deps, definition, scope, create } = await openDeps(t);
  const labelled = (name: string, labels: object): KubeObject => configMap(name, { metadata: { labels } });
  await create(configmaps, labelled('a', { app: 'x' }));
  await create(configmaps, labelled('b', { app: 'y' }));
  await create(pods, pod('p', { nodeName: 'n1' }));
  await create(pods, pod('q'));
  const selected = async (resource: typeof pods, query: ListQuery): Promise<readonly string[]> => {
    const { version } = scope(resource);
    const selection = selectionOf(definition(resource), version, parseSelectors(query));
    const { items } = await deps.stores
      .of(definition(resource))
      .cache.range(`${definition(resource).storagePrefix}/`, {});
    return items.filter(({ value }) => selection.matches(value)).map(({ value }) => value.object.metadata.name ?? '');
  };
  const rows = [
    { name: 'a label', resource: configmaps, query: { labelSelector: 'app=x' }, expect: ['a'] },
    { name: 'not a label', resource: configmaps, query: { labelSelector: 'app!=x' }, expect: ['b'] },
    { name: 'a name', resource: configmaps, query: { fieldSelector: 'metadata.name=b' }, expect: ['b'] },
    { name: 'not a name', resource: configmaps, query: { fieldSelector: 'metadata.name!=b' }, expect: ['a'] },
    {
      name: 'another namespace',
      resource: configmaps,
      query: { fieldSelector: 'metadata.namespace=other' },
      expect: [],
    },
    {
      name: 'label and field',
      resource: configmaps,
      query: { labelSelector: 'app', fieldSelector: 'metadata.name=a' },
      expect: ['a'],
    },
    { name: 'a field of the kind', resource: pods, query: { fieldSelector: 'spec.nodeName=n1' }, expect: ['p'] },
    { name: 'an empty field of the kind', resource: pods, query: { fieldSelector: 'spec.nodeName=' }, expect: ['q'] },
    { name: 'not a field of the kind', resource: pods, query: { fieldSelector: 'spec.nodeName!=n1' }, expect: ['q'] },
  ];
  for (const { name, resource, query, expect } of rows) t.strictSame(await selected(resource, query), expect, name);
});

t.test('invalid selectors are refusalOf', async t => {
  const { definition, scope } = await openDeps(t);
  const select = (resource: typeof pods, query: ListQuery) => () =>
    selectionOf(definition(resource), scope(resource).version, parseSelectors(query));
  t.match(await refusalOf(select(configmaps, { labelSelector: 'a=b=c' })), /^400 BadRequest: found '=', expected: /);
  t.match(
    await refusalOf(select(configmaps, { fieldSelector: 'metadata.name' })),
    /^400 BadRequest: invalid selector: /,
  );
  t.equal(
    await refusalOf(select(configmaps, { fieldSelector: 'data.k=v' })),
    '400 BadRequest: "data.k" is not a known field selector: only "metadata.name", "metadata.namespace"',
    'a kind without fields of its own',
  );
  t.equal(
    await refusalOf(select(pods, { fieldSelector: 'spec.none=v' })),
    '400 BadRequest: field label not supported: spec.none',
    'a kind with fields of its own',
  );
  t.equal(await refusalOf(select(pods, { fieldSelector: 'metadata.namespace=n' })), 'allowed');
});

t.test('names and namespaces of the selector narrow the keys that are read', async t => {
  const { definition, scope } = await openDeps(t);
  const keyRange = (resource: typeof pods, fieldSelector: string, namespace: string) => {
    const call = scope(resource, { namespace });
    return keyRangeOf(call, selectionOf(definition(resource), call.version, parseSelectors({ fieldSelector })));
  };
  const prefix = '/registry/configmaps/';
  t.strictSame(keyRange(configmaps, '', 'n'), { prefix: `${prefix}n/`, key: undefined });
  t.strictSame(keyRange(configmaps, 'metadata.name=a', 'n'), { prefix: `${prefix}n/`, key: `${prefix}n/a` });
  t.strictSame(keyRange(configmaps, 'metadata.name=a', ''), { prefix, key: undefined }, 'a name in all namespaces');
  t.strictSame(keyRange(configmaps, 'metadata.name=a,metadata.namespace=n', ''), {
    prefix: `${prefix}n/`,
    key: `${prefix}n/a`,
  });
  t.strictSame(
    keyRange(configmaps, 'metadata.namespace=x/y', ''),
    { prefix, key: undefined },
    'what is no name of a namespace',
  );
  t.strictSame(
    keyRange(configmaps, 'metadata.namespace=m', 'n'),
    { prefix: `${prefix}n/`, key: undefined },
    'the namespace of the path counts',
  );
  t.strictSame(keyRange(namespaces, 'metadata.name=a', ''), {
    prefix: '/registry/namespaces/',
    key: '/registry/namespaces/a',
  });
});

t.test('the index of a field is used if the selector has one value', async t => {
  const { definition, scope } = await openDeps(t);
  const index = (fieldSelector: string) =>
    selectionOf(definition(pods), scope(pods).version, parseSelectors({ fieldSelector })).index;
  t.strictSame(index('spec.nodeName=n1'), { name: 'spec.nodeName', word: 'n1' });
  t.equal(index('spec.nodeName!=n1'), undefined);
  t.equal(index('status.phase=Running'), undefined, 'a field without an index');
});
