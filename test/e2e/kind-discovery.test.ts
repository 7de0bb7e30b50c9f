/** Discovery, columns, selectors and what is there from the start, row by row of what Kubernetes 1.36 was seen to do. */
import t from 'tap';
import { runningServer } from '../apiserver/running.js';
import { kindFacts } from './kind-facts.js';
import { batch, core, scene, table } from './kind-scene.js';
import { type Wired, wire } from './wire.js';

const allVerbs = 'create,delete,deletecollection,get,list,patch,update,watch';

t.test('KND-001 to KND-068: discovery and columns', async t => {
  const { ask } = await scene(t);
  const { send } = wire(t, await runningServer(t, { profile: 'kubernetes' }));
  for (const row of kindFacts) {
    const [id = '', names = '', shorts = '', categories = '', rest = '', ...columns] = row
      .split(/ \|(?!\|) ?/)
      .map(part => part.trim());
    const words = names.split(' ');
    const version = words[0]?.includes('/') ? (words.shift() ?? '') : 'v1';
    const [plural = '', kind = '', cluster] = words;
    const path = version === 'v1' ? '/api/v1' : `/apis/${version}`;
    const { object: list } = await ask(`GET ${path}`);
    const resources = list['resources'] as { name: string; verbs: string[] }[];
    const verbs = /verbs (\S+)/.exec(rest)?.[1] ?? allVerbs;
    const listOf = (text: string): string[] | undefined => (text === '' ? undefined : text.split(','));
    const found = resources.find(({ name }) => name === plural);
    t.match(
      found,
      { kind, singularName: kind.toLowerCase(), namespaced: cluster === undefined, verbs: verbs.split(',') },
      id,
    );
    const { shortNames, categories: in_ } = found as unknown as { shortNames?: string[]; categories?: string[] };
    t.same([shortNames, in_], [listOf(shorts), listOf(categories)], `${id} names`);
    const parts = resources
      .filter(({ name }) => name.startsWith(`${plural}/`))
      .map(({ name, verbs }) => `${name.slice(plural.length + 1)}(${verbs.join()})`);
    const wanted = rest
      .replace(/ ?verbs \S+/, '')
      .split(' ')
      .filter(part => part !== '')
      .map(part => (part.includes('(') ? part : `${part}(get,patch,update)`));
    t.same(parts.sort(), wanted.sort(), `${id} subresources`);
    const shown = columns.join('|').trim();
    if (shown === '-' || shown === '') continue;
    const [plain = '', wide = ''] = shown.split('||');
    const expected = [plain, wide].flatMap((part, priority) =>
      part
        .split(',')
        .filter(name => name.trim() !== '')
        .map(name => {
          const [title, type = 'string'] = name.trim().split(':');
          return `${title} ${type} ${priority}`;
        }),
    );
    const { object } = await send(`GET ${path}/${plural}?limit=1`, { accept: table });
    const definitions = object['columnDefinitions'] as { name: string; type: string; priority: number }[];
    // Those that are shown wide stand among the others.
    const shownColumns = [0, 1].flatMap(wanted => definitions.filter(({ priority }) => priority === wanted));
    t.same(
      shownColumns.map(({ name, type, priority }) => `${name} ${type} ${priority}`),
      expected,
      `${id} columns`,
    );
  }
});

t.test('KND-140, KND-150 to KND-153: field selectors, and what is there from the start', async t => {
  const { ask } = await scene(t);
  const known: Record<string, readonly string[]> = {
    [`${core}/pods`]: [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.podIPs',
      'status.nominatedNodeName',
    ],
    '/api/v1/nodes': ['spec.unschedulable'],
    [`${core}/replicationcontrollers`]: ['status.replicas'],
    '/api/v1/namespaces': ['status.phase'],
    [`${core}/secrets`]: ['type'],
    [`${core}/services`]: ['spec.clusterIP', 'spec.type'],
    [`${batch}/jobs`]: ['status.successful'],
    '/apis/certificates.k8s.io/v1/certificatesigningrequests': ['spec.signerName'],
    '/apis/resource.k8s.io/v1/resourceslices': ['spec.nodeName', 'spec.driver'],
    [`${core}/events`]: ['involvedObject.kind', 'involvedObject.uid', 'reason', 'reportingComponent', 'source', 'type'],
    '/apis/events.k8s.io/v1/namespaces/default/events': [
      'regarding.kind',
      'regarding.name',
      'reason',
      'reportingController',
      'type',
    ],
  };
  for (const [path, fields] of Object.entries(known)) {
    for (const field of fields)
      t.equal((await ask(`GET ${path}?fieldSelector=${field}%3Dx`)).status, 200, `${path} ${field}`);
    t.equal((await ask(`GET ${path}?fieldSelector=spec.other%3Dx`)).status, 400, `${path} others`);
  }
  const names = async (path: string): Promise<string[]> =>
    ((await ask(`GET ${path}`)).object.items ?? []).map(({ metadata }: Wired) => metadata.name ?? '');
  t.match(await names('/api/v1/namespaces'), ['default', 'kube-node-lease', 'kube-public', 'kube-system']);
  t.match((await ask('GET /apis/scheduling.k8s.io/v1/priorityclasses')).object.items, [
    { metadata: { name: 'system-cluster-critical' }, value: 2000000000 },
    { metadata: { name: 'system-node-critical' }, value: 2000001000 },
  ]);
  const service = (await ask(`GET ${core}/services/kubernetes`)).object;
  t.match(service, {
    metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: { ports: [{ port: 443, name: 'https' }] },
  });
  t.equal((await ask('GET /apis/networking.k8s.io/v1/servicecidrs/kubernetes')).status, 200);
  t.ok((await names('/api/v1/namespaces/kube-system/configmaps')).includes('extension-apiserver-authentication'));
});
