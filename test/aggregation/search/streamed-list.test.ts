/** Lists of `proxying` that read the members: what the client does not take is not asked for, in each form, and failures are clear. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { resources } from '../../../api/karmada/well-known.js';
import { httpClient } from '../../apiserver/http-client.js';
import { until } from '../../storage/until.js';
import { controlPlane, core, join, memberServer, object, setReady } from '../fleet.js';
import { frontOf, readerToken, settled } from './front.js';

const configMaps = core('configmaps');
const root = '/apis/search.karmada.io/v1alpha1/proxying/karmada/proxy';
const path = `${root}/api/v1/namespaces/default/configmaps`;
const perMember = 1200;
const names = ['a', 'b', 'c'];

interface ListJson {
  readonly kind: string;
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly KubeObject[];
  readonly rows?: readonly { readonly cells: readonly unknown[] }[];
}

const control = await controlPlane(t);
const members = await Promise.all(names.map(() => memberServer(t)));
const fronts = await Promise.all(members.map(member => frontOf(t, member)));
/** The lists that the members were asked for. */
let pages: string[] = [];
for (const [i, front] of fronts.entries())
  front.onRequest = asked => {
    if (asked.startsWith('/api/v1/namespaces/default/configmaps?') && !asked.includes('watch'))
      pages.push(`${names[i]} ${asked}`);
  };

async function begin(query: string, accept = 'application/json'): Promise<IncomingMessage> {
  const { authority, admin } = control.pki;
  const { host, port } = control;
  const request = https.get({
    ...{ host, port, path: path + query, agent: false, ca: authority.certificate, headers: { accept } },
    ...{ cert: admin.certificate, key: admin.key },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) text += chunk;
  return text;
}

t.before(async () => {
  const filler = 'x'.repeat(12 * 1024);
  for (const [i, member] of members.entries()) {
    const prefix = names[i] ?? '';
    for (let n = 0; n < perMember; n++) {
      const metadata = { namespace: 'default' };
      await member.client.create(
        configMaps,
        object('v1', 'ConfigMap', `${prefix}${String(n).padStart(4, '0')}`, { metadata, data: { filler } }),
      );
    }
    const { url, authority } = fronts[i] as (typeof fronts)[number];
    await join(control, prefix, { server: url, authority, token: await readerToken(member) });
    await setReady(control, prefix, 'True');
  }
  const spec = { targetCluster: {}, resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }] };
  await control.client.create(
    resources.resourceRegistries,
    object('search.karmada.io/v1alpha1', 'ResourceRegistry', 'all', { spec }),
  );
  const ask = httpClient(t, control);
  await until('all clusters are mirrored', async () => {
    const { json, status } = await ask(`GET ${path}?resourceVersion=0&fieldSelector=metadata.name%3Dc1199`);
    return status === 200 && json.items.length === 1;
  });
});

t.test('what a slow reader does not take is not asked for', async t => {
  pages = [];
  const response = await begin('');
  await settled(() => pages.length);
  t.ok(pages.length <= 6, `${pages.length} of 9 pages were asked for`);
  const list = JSON.parse(await textOf(response)) as ListJson;
  t.equal(list.kind, 'ConfigMapList');
  const want = names.flatMap(prefix =>
    Array.from({ length: perMember }, (_, n) => `${prefix}${String(n).padStart(4, '0')}`),
  );
  t.same(
    list.items?.map(({ metadata }) => metadata.name),
    want,
  );
  t.equal(pages.length, 9);
  t.match(JSON.parse(Buffer.from(list.metadata.resourceVersion ?? '', 'base64url').toString()), {
    ...{ a: /^\d+$/, b: /^\d+$/, c: /^\d+$/ },
  });
});

t.test('a client that leaves ends the reading', async t => {
  pages = [];
  const response = await begin('');
  response.destroy();
  await settled(() => pages.length);
  t.ok(pages.length < 9, `${pages.length} of 9 pages were asked for`);
});

t.test('a Table and metadata come in parts, too; other forms and pages as a whole', async t => {
  const ask = httpClient(t, control);
  const as = (kind: string) => `application/json;as=${kind};v=v1;g=meta.k8s.io`;
  const table = JSON.parse(await textOf(await begin('?includeObject=None', as('Table')))) as ListJson;
  t.equal(table.kind, 'Table');
  t.same(table.rows?.[0]?.cells.slice(0, 2), ['a0000', 1]);
  t.equal(table.rows?.length, names.length * perMember);
  t.ok(table.metadata.resourceVersion);
  const partial = JSON.parse(await textOf(await begin('', as('PartialObjectMetadataList')))) as ListJson;
  t.match(partial, { kind: 'PartialObjectMetadataList', metadata: { resourceVersion: /./ } });
  t.match(partial.items?.[3599], { kind: 'PartialObjectMetadata', metadata: { name: 'c1199' } });
  const page = (await ask(`GET ${path}?limit=1300`)).json;
  t.same(page.items[1299]?.metadata.name, 'b0099');
  const rest = (await ask(`GET ${path}?continue=${page.metadata.continue}`)).json;
  t.equal(rest.items[0]?.metadata.name, 'b0100');
  t.equal(rest.items.length, 2300);
  const yaml = await ask(`GET ${path}?limit=1`, { accept: 'application/yaml' });
  t.match(yaml.text, /^ {4}name: a0000$/m);
});

t.test('a member that fails before anything is written is an error, later it breaks the answer off', async t => {
  const [, second] = fronts;
  const ask = httpClient(t, control);
  if (!second) throw new Error('there are three members');
  const isList = (asked: string): boolean => asked.includes('configmaps?') && !asked.includes('watch');
  second.refuses = isList;
  t.match(await ask(`GET ${path}`), { status: 404 });
  second.refuses = asked => isList(asked) && asked.includes('continue=');
  const response = await begin('');
  t.equal(response.statusCode, 200);
  await t.rejects(textOf(response), { code: 'ECONNRESET' });
});
