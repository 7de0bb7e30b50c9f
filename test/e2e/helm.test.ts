/** Installs, upgrades, rolls back and uninstalls a release with the requests of Helm. */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { runningServer } from '../apiserver/running.js';
import { deployment, paths, service, widget, widgets } from './manifests.js';
import { type Reply, wire, type Wired } from './wire.js';

const json = 'application/json';
const strategic = 'application/strategic-merge-patch+json';
const merge = 'application/merge-patch+json';
const agent = 'Helm/3.19.0';

/** Returns a release as Helm stores it: incompressible, and above the size from which answers are compressed. */
const release = (version: number, status: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'helm.sh/release.v1',
  metadata: {
    name: `sh.helm.release.v1.web.v${version}`,
    labels: { owner: 'helm', name: 'web', status, version: String(version), modifiedAt: '1763700000' },
  },
  data: { release: randomBytes(200_000).toString('base64') },
});

t.test('a release is installed, upgraded, rolled back and uninstalled', async t => {
  const server = await runningServer(t);
  const client = wire(t, server);
  const ask = async (what: string, body?: object, type = json): Promise<Reply> =>
    client.send(what, { accept: json, agent, type, ...(body && { body }) });
  const query = 'fieldManager=helm&fieldValidation=Strict';
  const stored = async (selector: string): Promise<string[]> => {
    const { object } = await ask(`GET ${paths.secrets}?labelSelector=${encodeURIComponent(selector)}`);
    return (object.items ?? []).map(({ metadata }) => metadata.labels?.['version'] ?? '');
  };

  // install
  t.equal((await ask(`POST ${paths.crds}?${query}`, widgets)).status, 201);
  t.equal((await ask(`POST ${paths.secrets}`, release(1, 'pending-install'))).status, 201);
  for (const [path, body] of [
    [paths.deployments, deployment()],
    [paths.services, service],
    [paths.widgets, widget({ color: 'red', options: { a: '1', b: '2' }, steps: ['x', 'y'] })],
  ] as const)
    t.match(await ask(`POST ${path}?${query}`, body), { status: 201 });
  const installed = (await ask(`GET ${paths.deployments}/web`)).object;
  const first = (await ask(`GET ${paths.secrets}/sh.helm.release.v1.web.v1`)).object;
  const deployed = {
    ...first,
    metadata: { ...first.metadata, labels: { ...first.metadata.labels, status: 'deployed' } },
  };
  t.equal((await ask(`PUT ${paths.secrets}/${String(first.metadata.name)}`, deployed)).status, 200);
  t.same(await stored('owner=helm,name=web,status=deployed'), ['1']);

  // other clients scale, inject and annotate
  await ask(
    `PATCH ${paths.deployments}/web?fieldManager=injector`,
    {
      metadata: { annotations: { seen: 'yes' } },
      spec: { replicas: 5, template: { spec: { containers: [{ name: 'proxy', image: 'proxy:1' }] } } },
    },
    strategic,
  );

  // upgrade
  const upgraded = await ask(
    `PATCH ${paths.deployments}/web?${query}`,
    {
      metadata: { labels: { tier: 'front' } },
      spec: {
        strategy: { $retainKeys: ['type'], type: 'Recreate', rollingUpdate: null },
        template: {
          spec: {
            '$setElementOrder/containers': [{ name: 'setup' }, { name: 'web' }],
            '$setElementOrder/volumes': [{ name: 'data' }],
            containers: [
              { name: 'setup', image: 'setup:1' },
              {
                name: 'web',
                image: 'nginx:1.28',
                '$setElementOrder/env': [{ name: 'C' }, { name: 'A' }, { name: 'D' }],
                env: [
                  { name: 'D', value: '4' },
                  { name: 'B', $patch: 'delete' },
                ],
                ports: null,
              },
            ],
            volumes: [
              { name: 'data', $retainKeys: ['name', 'configMap'], emptyDir: null, configMap: { name: 'files' } },
            ],
          },
        },
      },
    },
    strategic,
  );
  t.match(upgraded, { status: 200 }, JSON.stringify(upgraded.object.message));
  const spec = podOf(upgraded.object);
  t.same(
    spec.containers.map(({ name, image }) => `${name} ${image}`),
    ['setup setup:1', 'proxy proxy:1', 'web nginx:1.28'],
    'an injected container is kept, in its position',
  );
  const web = spec.containers.find(({ name }) => name === 'web');
  t.same(web?.env, [
    { name: 'C', value: '3' },
    { name: 'A', value: '1' },
    { name: 'D', value: '4' },
  ]);
  t.equal(web?.ports, undefined);
  t.same(spec.volumes, [{ name: 'data', configMap: { name: 'files', defaultMode: 420 } }]);
  t.match(upgraded.object, {
    metadata: { annotations: { seen: 'yes' }, labels: { app: 'web', tier: 'front' }, generation: 3 },
    spec: { replicas: 5, strategy: { type: 'Recreate' } },
  });
  t.notOk('rollingUpdate' in (upgraded.object['spec'] as { strategy: object }).strategy);

  const ports = await ask(
    `PATCH ${paths.services}/web?${query}`,
    {
      spec: {
        '$setElementOrder/ports': [{ port: 8000 }, { port: 80 }],
        ports: [
          { name: 'admin', port: 8000, targetPort: 9000 },
          { $patch: 'delete', port: 443 },
        ],
      },
    },
    strategic,
  );
  t.match(ports.object['spec'], {
    ports: [
      { name: 'admin', port: 8000 },
      { name: 'http', port: 80, targetPort: 8080 },
    ],
  });
  t.equal((ports.object['spec'] as { ports: object[] }).ports.length, 2);

  const changed = await ask(
    `PATCH ${paths.widgets}/one?${query}`,
    { spec: { color: null, size: null, options: { a: null, c: '3' }, steps: ['z'] } },
    merge,
  );
  t.same(changed.object['spec'], { options: { b: '2', c: '3' }, size: 1, steps: ['z'] }, 'null restores defaults');
  t.match(await ask(`PATCH ${paths.widgets}/one`, { spec: {} }, strategic), { status: 415 });

  // an upgrade that changes nothing is no write
  const same = await ask(`PATCH ${paths.deployments}/web?${query}`, {}, strategic);
  t.equal(same.object.metadata.resourceVersion, upgraded.object.metadata.resourceVersion);

  // a second release; one of the same version is refused
  t.equal((await ask(`POST ${paths.secrets}`, release(2, 'deployed'))).status, 201);
  t.match((await ask(`POST ${paths.secrets}`, release(2, 'deployed'))).object, { reason: 'AlreadyExists' });
  const gzip = await client.send(`GET ${paths.secrets}`, { accept: json, encoding: 'gzip' });
  t.match(gzip.headers, { 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  t.same(await stored('owner=helm,name=web'), ['1', '2']);

  // rollback: the reverse patch, over the changes of others
  const back = await ask(
    `PATCH ${paths.deployments}/web?${query}`,
    {
      metadata: { labels: { tier: null } },
      spec: {
        strategy: { $retainKeys: ['type'], type: 'RollingUpdate' },
        template: {
          spec: {
            '$setElementOrder/containers': [{ name: 'web' }],
            containers: [
              { name: 'setup', $patch: 'delete' },
              {
                name: 'web',
                image: 'nginx:1.27',
                ports: [{ containerPort: 80, name: 'http' }],
                env: [
                  { name: 'D', $patch: 'delete' },
                  { name: 'B', value: '2' },
                ],
              },
            ],
            volumes: [{ name: 'data', $retainKeys: ['name', 'emptyDir'], configMap: null, emptyDir: {} }],
          },
        },
      },
    },
    strategic,
  );
  t.same(
    podOf(back.object).containers.map(({ name, image }) => `${name} ${image}`),
    ['proxy proxy:1', 'web nginx:1.27'],
  );
  t.same(podOf(back.object).volumes, podOf(installed).volumes);
  t.same((back.object['spec'] as Wired)['strategy'], (installed['spec'] as Wired)['strategy'], 'defaults are restored');

  // uninstall
  for (const path of [`${paths.widgets}/one`, `${paths.services}/web`, `${paths.deployments}/web`]) {
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
    t.equal((await ask(`DELETE ${path}`, options)).status, 200, path);
    t.equal((await ask(`GET ${path}`)).status, 404, path);
  }
  t.equal((await ask(`DELETE ${paths.secrets}?labelSelector=owner%3Dhelm%2Cname%3Dweb`)).status, 200);
  t.same(await stored('owner=helm'), []);
});

interface PodSpec {
  readonly containers: readonly { name: string; image: string; env?: unknown; ports?: unknown }[];
  readonly volumes: unknown;
}

const podOf = (object: Wired): PodSpec => (object['spec'] as { template: { spec: PodSpec } }).template.spec;
