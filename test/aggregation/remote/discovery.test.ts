import t from 'tap';
import { createMapper, DiscoveryReader } from '../../../aggregation/remote/discovery.js';

interface Answer {
  readonly document: unknown;
  readonly etag?: string;
}

/** A source with documents by path. A path without a document refuses the connection. */
function source(documents: Record<string, Answer>) {
  const asked: string[] = [];
  const read = (path: string): Promise<Answer> => {
    const found = documents[path];
    return found ? Promise.resolve(found) : Promise.reject(new Error('connection refused'));
  };
  return {
    asked,
    root: async (path: string, _accept: string, etag: string | undefined) => {
      const found = await read(path);
      const isKnown = etag !== undefined && etag === found.etag;
      asked.push(`${path} ${isKnown ? 'unchanged' : 'whole'}`);
      return isKnown ? undefined : found;
    },
    document: async (path: string) => (await read(path)).document,
  };
}

const group = (name: string, version: object) => ({ metadata: { name }, versions: [version] });
const resource = (kind: string) => ({ resource: `${kind.toLowerCase()}s`, responseKind: { kind }, scope: 'Cluster' });
const aggregated = (...items: object[]) => ({ kind: 'APIGroupDiscoveryList', items });
const core = { document: aggregated(group('', { version: 'v1', resources: [resource('Node')] })), etag: '"1"' };

t.test('a server without aggregated discovery', async t => {
  const documents: Record<string, Answer> = {
    '/api': { document: { kind: 'APIVersions', versions: ['v1'] } },
    '/apis': { document: { kind: 'APIGroupList', groups: [{ name: 'gone', versions: [{ version: 'v1' }] }] } },
    '/api/v1': { document: { resources: [{ name: 'pods', kind: 'Pod', namespaced: true, verbs: ['get'] }] } },
  };
  const reader = new DiscoveryReader(source(documents));
  const { resources, failed } = await reader.read();
  t.match(resources, [{ group: '', version: 'v1', resource: 'pods' }]);
  t.equal(resources.length, 1, 'an unreachable group does not hide the others');
  t.same(failed, ['gone/v1']);
  delete documents['/api/v1'];
  await t.rejects(reader.read(), { message: 'connection refused' }, 'discovery fails if no group is reachable');
});

t.test('an aggregated document is read again only after a change', async t => {
  const documents: Record<string, Answer> = {
    '/api': core,
    '/apis': { document: aggregated(group('a', { version: 'v1', resources: [resource('A')] })), etag: '"2"' },
  };
  const server = source(documents);
  const reader = new DiscoveryReader(server);
  const first = await reader.read();
  t.equal(await reader.read(), first, 'the same object shows that nothing has changed');
  documents['/apis'] = { document: aggregated(group('b', { version: 'v1', resources: [resource('B')] })), etag: '"3"' };
  const kinds = (await reader.read()).resources.map(({ kind }) => kind);
  t.same(kinds, ['Node', 'B']);
  t.same(server.asked, [
    ...['/api whole', '/apis whole'],
    ...['/api unchanged', '/apis unchanged'],
    ...['/api unchanged', '/apis whole'],
  ]);
});

t.test('one root may be aggregated and the other not', async t => {
  const server = source({ '/api': core, '/apis': { document: { kind: 'APIGroupList', groups: [] } } });
  t.match((await new DiscoveryReader(server).read()).resources, [{ resource: 'nodes' }]);
});

t.test('a mapper keeps the kinds of a group that fails, and does not deny kinds that it cannot know', async t => {
  const stale = group('a', { version: 'v1', resources: [], freshness: 'Stale' });
  const documents: Record<string, Answer> = {
    '/api': core,
    '/apis': { document: aggregated(group('a', { version: 'v1', resources: [resource('A')] })) },
  };
  const mapper = createMapper(source(documents), () => 0);
  t.ok(await mapper.forKind({ group: 'a', version: 'v1', kind: 'A' }));
  documents['/apis'] = { document: aggregated(stale) };
  t.same((await mapper.refresh()).failed, ['a/v1']);
  t.ok(await mapper.forKind({ group: 'a', version: 'v1', kind: 'A' }));
  t.equal((await mapper.resources()).length, 2);
  const unknown = mapper.forKind({ group: 'a', version: 'v1', kind: 'B' });
  await t.rejects(unknown, { message: 'unable to retrieve the complete list of server APIs: a/v1' });
  t.equal(await mapper.forKind({ group: 'b', version: 'v1', kind: 'B' }), undefined);
  documents['/apis'] = { document: aggregated() };
  await mapper.refresh();
  t.equal(await mapper.forKind({ group: 'a', version: 'v1', kind: 'A' }), undefined, 'a removed group is gone');
});

t.test('a resource is missing only if the discovery of its group version is without it', async t => {
  const documents: Record<string, Answer> = {
    '/api': core,
    '/apis': {
      document: aggregated(
        group('a', { version: 'v1', resources: [resource('A')] }),
        group('stale', { version: 'v1', freshness: 'Stale' }),
      ),
    },
  };
  const mapper = createMapper(source(documents), Date.now);
  const lacks = (group: string, version: string, resource: string) => mapper.lacks({ group, version, resource });
  t.equal(await lacks('a', 'v1', 'as'), false);
  t.equal(await lacks('a', 'v1', 'bs'), true);
  t.equal(await lacks('a', 'v2', 'as'), true);
  t.equal(await lacks('b', 'v1', 'as'), true);
  t.equal(await lacks('stale', 'v1', 'as'), false, 'its resources are not known');
  documents['/api'] = documents['/apis'] = { document: {} };
  t.equal(await lacks('a', 'v1', 'bs'), false, 'no API server is without any resource');
  delete documents['/api'];
  await t.rejects(lacks('a', 'v1', 'as'), { message: 'connection refused' });
});
