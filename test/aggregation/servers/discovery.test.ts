/** The discovery of this server with the group versions of others. */
import type http from 'node:http';
import t, { type Test } from 'tap';
import { type HttpClient, httpClient } from '../../apiserver/http-client.js';
import { runningServer, type TestServer } from '../../apiserver/running.js';
import { until } from '../../authn/serve.js';
import { backend, type Backend } from '../backend.js';
import { apiServices, availability, bundleOf, register, secondServer } from './second-server.js';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface Version {
  readonly version: string;
  readonly freshness: string;
  readonly resources?: readonly object[];
}

interface Group {
  readonly metadata: { readonly name: string };
  readonly versions: readonly Version[];
}

const groupsOf = async (ask: HttpClient): Promise<readonly Group[]> =>
  (await ask('GET /apis', { accept: aggregated })).json.items as unknown as readonly Group[];

const versionsOf = async (ask: HttpClient): Promise<readonly Version[]> =>
  (await groupsOf(ask)).find(({ metadata }) => metadata.name === 'example.com')?.versions ?? [];

const isCurrent = async (ask: HttpClient, version = 'v1'): Promise<boolean> =>
  (await versionsOf(ask)).some(each => each.version === version && each.freshness === 'Current');

t.test('discovery contains the kinds of another server', async t => {
  const front = await runningServer(t);
  const second = await secondServer(t, front);
  const ask = httpClient(t, front);
  const caBundle = bundleOf(second.pki.authority.certificate);
  await register(front.client, { port: second.port, spec: { caBundle, groupPriorityMinimum: 19_000 } });
  await until(() => isCurrent(ask));
  t.match(await versionsOf(ask), [
    {
      version: 'v1',
      resources: [
        {
          resource: 'widgets',
          responseKind: { group: 'example.com', version: 'v1', kind: 'Widget' },
          ...{ scope: 'Namespaced', singularResource: 'widget', shortNames: ['wd'] },
          subresources: [{ subresource: 'status' }],
        },
      ],
    },
  ]);
  const groups = await groupsOf(ask);
  t.ok(groups.findIndex(({ metadata }) => metadata.name === 'example.com') < 3, 'groups are sorted by priority');
  const listed = (await ask('GET /apis')).json['groups'] as { name: string; preferredVersion: object }[];
  t.match(
    listed.find(({ name }) => name === 'example.com'),
    { preferredVersion: { groupVersion: 'example.com/v1', version: 'v1' } },
  );
  t.match((await ask('GET /apis/example.com')).json, { kind: 'APIGroup', name: 'example.com' });
  t.match((await ask('GET /apis/example.com/v1')).json, { kind: 'APIResourceList' });
  const binary = await ask('GET /apis', { accept: aggregated.replace('json', 'vnd.kubernetes.protobuf') });
  t.ok(binary.bytes.includes('widgets'));

  const documentPath = 'apis/example.com/v1';
  const entryOf = async (): Promise<{ serverRelativeURL: string } | undefined> =>
    ((await ask('GET /openapi/v3')).json['paths'] as Record<string, { serverRelativeURL: string }>)[documentPath];
  await until(async () => (await entryOf()) !== undefined);
  const document = await ask(`GET ${(await entryOf())?.serverRelativeURL}`, { accept: 'application/json' });
  t.equal(document.status, 200);
  t.match(document.json['components'], { schemas: { 'com.example.v1.Widget': Object } });

  await second.stop();
  const patch = { spec: { groupPriorityMinimum: 1 } };
  await front.client.patch(apiServices, { name: 'v1.example.com' }, { type: 'merge', patch });
  await until(async () => (await versionsOf(ask))[0]?.freshness === 'Stale');
  t.notOk((await versionsOf(ask))[0]?.resources);
  t.equal((await groupsOf(ask)).at(-1)?.metadata.name, 'example.com');

  await front.client.delete(apiServices, { name: 'v1.example.com' });
  await until(async () => (await versionsOf(ask)).length === 0);
  t.equal((await ask('GET /apis/example.com')).status, 404);
});

interface Behind {
  readonly front: TestServer;
  readonly server: Backend;
  readonly ask: HttpClient;
}

/** Starts a server with a server for `v1` and `v2` behind it. */
async function behind(t: Test, onRequest: http.RequestListener): Promise<Behind> {
  const [front, server] = await Promise.all([runningServer(t), backend(t)]);
  server.onRequest = onRequest;
  const port = Number(new URL(server.url).port);
  const spec = { insecureSkipTLSVerify: true };
  await register(front.client, { port, spec });
  await register(front.client, { port, version: 'v2', spec: { ...spec, versionPriority: 20 } });
  await Promise.all([availability(front.client, 'Passed'), availability(front.client, 'Passed', 'v2.example.com')]);
  return { front, server, ask: httpClient(t, front) };
}

const json = (response: http.ServerResponse, value: object): void => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
};

const things = {
  kind: 'APIResourceList',
  resources: [
    { name: 'things', singularName: 'thing', kind: 'Thing', namespaced: true, verbs: ['get'], shortNames: ['th'] },
    { name: 'things/scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 5], namespaced: true },
    { name: 7 },
  ],
};

t.test('a server without aggregated discovery is read version by version', async t => {
  const { ask } = await behind(t, (request, response) =>
    request.url === '/apis' ? json(response, { kind: 'APIGroupList', groups: [] }) : json(response, things),
  );
  await until(async () => (await isCurrent(ask)) && (await isCurrent(ask, 'v2')));
  const versions = await versionsOf(ask);
  t.same(
    versions.map(({ version }) => version),
    ['v2', 'v1'],
    'versions are sorted by priority',
  );
  t.same(versions[1]?.resources, [
    {
      resource: 'things',
      responseKind: { group: '', version: '', kind: 'Thing' },
      ...{ scope: 'Namespaced', singularResource: 'thing', verbs: ['get'], shortNames: ['th'] },
      subresources: [
        {
          subresource: 'scale',
          responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
          verbs: ['get'],
        },
      ],
    },
  ]);
});

const hostile: Readonly<Record<string, http.RequestListener>> = {
  'an endless body': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const chunk = Buffer.alloc(64 * 1024, ' ');
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
      response.once('drain', more);
    };
    more();
  },
  'no body': (_request, response) => response.writeHead(200).flushHeaders(),
  'too many values': (_request, response) => response.end(`[${'0,'.repeat(200_000)}0]`),
  'too many resources': (_request, response) =>
    json(response, { resources: Array.from({ length: 6000 }, (_, i) => ({ name: `r${i}`, kind: 'R' })) }),
  'no JSON': (_request, response) => response.end('<html>'),
  'deep nesting': (_request, response) => response.end('['.repeat(100_000)),
};

for (const [what, answer] of Object.entries(hostile))
  t.test(`a server that answers with ${what} leaves the others alone`, async t => {
    let asked = 0;
    const isOfV1 = (path: string | undefined): boolean => path?.startsWith('/apis/example.com/v1') ?? false;
    const { ask } = await behind(t, (request, response) => {
      if (request.url === '/apis') return json(response, {});
      if (!isOfV1(request.url)) return json(response, things);
      asked++;
      return answer(request, response);
    });
    await until(() => isCurrent(ask, 'v2'));
    await until(() => asked > 6); // More than the requests of a check.
    const v1 = (await versionsOf(ask)).find(({ version }) => version === 'v1');
    t.same(v1, { version: 'v1', freshness: 'Stale' });
    t.equal((await ask('GET /api/v1/namespaces/default')).status, 200);
  });

t.test('a document with an ETag is not sent again', async t => {
  const etags: unknown[] = [];
  const list = (kind: string): object => ({
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: { name: 'example.com' },
        versions: [{ version: 'v1', resources: [{ resource: 'things', responseKind: { kind }, scope: 'Cluster' }] }],
      },
    ],
  });
  const { front, ask } = await behind(t, (request, response) => {
    if (request.url !== '/apis') return json(response, {});
    const sent = request.headers['if-none-match'];
    etags.push(sent);
    if (sent === '"1"') return void response.writeHead(304).end();
    response.setHeader('etag', '"1"');
    return json(response, list('Thing'));
  });
  await until(() => isCurrent(ask));
  // The server becomes unavailable, and available again.
  const conditions = [{ type: 'Available', status: 'False', reason: 'Test', message: '' }];
  const patch = { status: { conditions } };
  const name = 'v1.example.com';
  await front.client.patch(apiServices, { name }, { type: 'merge', patch }, { subresource: 'status' });
  await until(() => etags.includes('"1"'));
  await until(() => isCurrent(ask));
  t.match((await versionsOf(ask)).find(({ version }) => version === 'v1')?.resources, [{ resource: 'things' }]);
});
