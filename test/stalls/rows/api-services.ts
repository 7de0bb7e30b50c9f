/** API servers behind APIServices, whose discovery documents are hostile. */
import { until } from '../../storage/until.js';
import type { Row } from '../row.js';
import { json } from './members.js';
import { entries, get, maxBytes, object, post, range, remove } from './objects.js';

const registration = '/apis/apiregistration.k8s.io/v1/apiservices';
const services = '/api/v1/namespaces/default/services';
const aggregated = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };

/** Bytes of the resources of a group version, which all discovery documents contain. */
const retainedBytes = 32 << 20;

interface Documents {
  /** The answer to `/apis`. */
  readonly discovery: (group: string, size: number) => unknown;
  /** The index of OpenAPI documents. */
  readonly openApi?: (size: number) => unknown;
}

/** Registers a server with these documents, until they have been read, and reads the discovery that contains them. */
const served = (name: string, size: number, { discovery, openApi = () => ({}) }: Documents): Row => ({
  name: `api-services/${name}`,
  size,
  retainedBytes,
  async play(fixture) {
    const own = fixture.name();
    const group = `${own}.example.com`;
    const [document, index] = [discovery(group, fixture.size), openApi(fixture.size)];
    const backend = await fixture.backend();
    let [asked, indexAsked] = [0, 0];
    backend.onRequest = (request, response) => {
      response.on('error', () => undefined);
      if (request.url === '/apis') asked++;
      if (request.url === '/openapi/v3') indexAsked++;
      json(response, request.url === '/apis' ? document : request.url === '/openapi/v3' ? index : {});
    };
    const port = Number(new URL(backend.url).port);
    await fixture.must(
      post(services, object('v1', 'Service', own, { spec: { type: 'ExternalName', externalName: '127.0.0.1' } })),
    );
    const spec = {
      ...{ group, version: 'v1', groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true },
      service: { namespace: 'default', name: own, port },
    };
    const made = object('apiregistration.k8s.io/v1', 'APIService', `v1.${group}`, { spec });
    await fixture.must(post(registration, made));
    // It asks again after a document that it refuses, and for the index after one that it takes.
    await until('the documents have been read', () => asked > 1 || indexAsked > 0);
    for (const path of ['/apis', '/openapi/v3', '/openapi/v2', `/apis/${group}/v1`])
      for (const headers of [aggregated, { accept: 'application/json' }]) await fixture.send(get(path, headers));
    await fixture.must(remove(`${registration}/v1.${group}`));
    await fixture.must(remove(`${services}/${own}`));
    await backend.stop();
  },
});

const resource = (i: number): object => ({
  ...{ resource: `r${i}`, responseKind: { group: '', version: '', kind: `K${i}` } },
  ...{ scope: 'Namespaced', singularResource: `s${i}`, verbs: ['get', 'list'] },
});
const groupDiscovery = (group: string, resources: readonly object[]): object => ({
  ...{ apiVersion: 'apidiscovery.k8s.io/v2', kind: 'APIGroupDiscoveryList' },
  items: [{ metadata: { name: group }, versions: [{ version: 'v1', resources }] }],
});

export const apiServiceRows: readonly Row[] = [
  served('flat', maxBytes * 5, { discovery: (_group, size) => `[1${',1'.repeat(size / 2)}]` }),
  served('deep', maxBytes, { discovery: (_group, size) => '['.repeat(size) }),
  served('resources', 8000, { discovery: (group, size) => groupDiscovery(group, range(size, resource)) }),
  served('groups', 24_000, {
    discovery: (_group, size) => ({
      kind: 'APIGroupDiscoveryList',
      items: range(size, i => ({ metadata: { name: `g${i}` } })),
    }),
  }),
  served('open-api-paths', 45_000, {
    discovery: group => groupDiscovery(group, [resource(0)]),
    openApi: size => ({ paths: entries(size, i => [`apis/g${i}/v1`, { serverRelativeURL: '/openapi/v3?hash=1' }]) }),
  }),
];
