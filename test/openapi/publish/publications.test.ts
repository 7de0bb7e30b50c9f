import { createHash } from 'node:crypto';
import t from 'tap';
import type { PublishedResource, RemoteGroupVersion } from '../../../openapi/publish/interface.js';
import { publications } from '../../../openapi/publish/publications.js';
import { parameterDescription } from '../../../openapi/facts/descriptions.js';
import { custom, nativePublished, toProtobuf } from './sources.js';

interface Index {
  paths: Record<string, { serverRelativeURL: string }>;
}

function changing(initial: PublishedResource[]) {
  let resources = initial;
  let remote: RemoteGroupVersion[] = [];
  let generation = 0;
  return {
    published: publications(
      {
        generation: () => generation,
        resources: () => resources,
        remote: () => remote,
        describeParameter: parameterDescription,
      },
      toProtobuf,
    ),
    set: (next: PublishedResource[], others: RemoteGroupVersion[] = []): void => {
      resources = next;
      remote = others;
      generation++;
    },
  };
}

const indexOf = async (published: ReturnType<typeof publications>): Promise<Index> =>
  JSON.parse((await published.openApiV3Index()).json.toString()) as Index;

t.test('documents are made once per generation', async t => {
  const natives = nativePublished(r => r.group === 'apps' || r.group === '');
  const crontab = custom({ group: 'stable.example.com', kind: 'CronTab' });
  const { published, set } = changing(natives);
  t.equal(published.aggregated('apis'), published.aggregated('apis'));
  t.equal(published.groups(), published.groups());
  t.equal(published.resources('', 'v1'), published.resources('', 'v1'));
  t.equal(published.openApiV3Index(), published.openApiV3Index());
  t.equal(published.openApiV2(), published.openApiV2());
  const apps = published.openApiV3('apis/apps/v1');
  t.ok(apps);
  const before = published.aggregated('apis').hash;
  t.equal(published.group('stable.example.com'), undefined);
  t.equal(published.openApiV3('apis/stable.example.com/v1'), undefined);

  set([...natives, crontab]);
  t.not(published.aggregated('apis').hash, before);
  t.equal(published.openApiV3('apis/apps/v1'), apps, 'the same resources have the same document');
  const v1 = published.openApiV3('apis/stable.example.com/v1');
  t.ok(v1);
  t.match(published.group('stable.example.com'), { name: 'stable.example.com' });

  const other: PublishedResource = { ...crontab, shortNames: ['ct'] };
  set([...natives, other]);
  t.not(published.openApiV3('apis/stable.example.com/v1'), v1);

  set(natives);
  t.equal(published.aggregated('apis').hash, before, 'the same resources have the same hash');
  t.notOk('apis/stable.example.com/v1' in (await indexOf(published)).paths);
});

t.test('the index of OpenAPI v3 leads to every document by its hash', async t => {
  const { published, set } = changing([]);
  const remote: RemoteGroupVersion = {
    group: 'metrics.k8s.io',
    version: 'v1beta1',
    priority: { group: 100, version: 100 },
    freshness: 'Current',
    resources: [],
    openApiHash: 'ABC',
  };
  const { openApiHash: _, ...withoutOpenApi } = remote;
  set(
    [...nativePublished(r => r.onByDefault), custom({ group: 'stable.example.com', kind: 'CronTab' })],
    [remote, { ...withoutOpenApi, version: 'v1alpha1' }],
  );
  const { paths } = await indexOf(published);
  for (const path of ['api', 'api/v1', 'apis', 'apis/apps', 'apis/apps/v1', 'apis/stable.example.com/v1', 'version'])
    t.ok(path in paths, path);
  t.equal(paths['apis/metrics.k8s.io/v1beta1']?.serverRelativeURL, '/openapi/v3/apis/metrics.k8s.io/v1beta1?hash=ABC');
  t.notOk('apis/metrics.k8s.io/v1alpha1' in paths, 'a server without OpenAPI');
  t.equal(published.openApiV3('apis/metrics.k8s.io/v1beta1'), undefined, 'is served by the other server');
  t.equal(published.resources('metrics.k8s.io', 'v1beta1'), undefined);
  for (const [path, { serverRelativeURL }] of Object.entries(paths)) {
    if (path.includes('metrics')) continue;
    const document = await published.openApiV3(path);
    const hash = createHash('sha512')
      .update(document?.json ?? '')
      .digest('hex')
      .toUpperCase();
    t.equal(serverRelativeURL, `/openapi/v3/${path}?hash=${hash}`);
    t.equal(document?.hash, hash);
  }
});

interface Operations {
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[];
}

t.test('every parameter of every operation has a description', async t => {
  const { published } = changing([
    ...nativePublished(r => r.onByDefault),
    custom({ group: 'stable.example.com', kind: 'CronTab' }),
  ]);
  const documents = [await published.openApiV2()];
  for (const path of Object.keys((await indexOf(published)).paths)) {
    const document = await published.openApiV3(path);
    if (document) documents.push(document);
  }
  let described = 0;
  for (const { json } of documents) {
    const { paths } = JSON.parse(json.toString()) as { paths: Record<string, Record<string, Operations>> };
    for (const [path, item] of Object.entries(paths))
      for (const [method, value] of Object.entries(item)) {
        const { parameters = [] } = method === 'parameters' ? ({ parameters: value } as Operations) : value;
        described += parameters.length;
        const missing = parameters.filter(({ name, description }) => name !== 'body' && !description);
        if (missing.length > 0) t.fail(`${method} ${path}: ${missing.map(({ name }) => name).join()}`);
      }
  }
  t.ok(described > 1000, `${described} parameters`);
});

t.test('the core group is in /api, and not in /apis', async t => {
  const { published } = changing(nativePublished(r => r.onByDefault));
  t.same(published.coreVersions('127.0.0.1:6443'), {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' }],
  });
  t.match(published.aggregated('api').document, { items: [{ metadata: {}, versions: [{ version: 'v1' }] }] });
  t.equal((published.aggregated('apis').document['items'] as unknown[]).length, 20);
});
