/** Commands of kubectl. as test/e2e/kubectl/kubectl.go */
import { existsSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import t from 'tap';
import { kubectlFor, needsKubectl } from '../../e2e/kubectl.js';
import { until } from '../../storage/until.js';
import { kit } from './kit.js';
import { runningControlPlane } from './running-control-plane.js';

const server = await runningControlPlane(t);
const all = kit(t, server);
const kubectl = kubectlFor(t, server);
const pods = all.of('v1/pods', 'default');

const deployment = (image: string): string =>
  JSON.stringify({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'httpd-deployment' } },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'httpd' } },
      template: { metadata: { labels: { app: 'httpd' } }, spec: { containers: [{ name: 'httpd', image }] } },
    },
  });

const imageOf = async (name: string): Promise<unknown> =>
  ((await pods.get(name))['spec'] as { containers: { image: string }[] }).containers[0]?.image;

interface Place {
  readonly port?: number;
  readonly socketPath?: string;
}

/** Returns the API versions through a proxy of kubectl. */
const versionsAt = (place: Place): Promise<unknown> =>
  new Promise((resolve, reject) => {
    http
      .get({ ...place, host: 'localhost', path: '/api/' }, response => {
        let text = '';
        response.on('data', (part: Buffer) => (text += part.toString()));
        response.on('end', () => resolve(JSON.parse(text)));
      })
      .on('error', reject);
  });

t.test('kubectl works with the server', needsKubectl, async t => {
  await t.test('api-versions lists v1', async t => t.match((await kubectl('api-versions')).out, /^v1$/m));

  await t.test('cluster-info shows the control plane', async t => {
    t.match((await kubectl('cluster-info')).out, /Kubernetes control plane.* is running at/);
  });

  await t.test('version shows client and server', async t => {
    const { out } = await kubectl('version');
    for (const side of ['Client', 'Server'])
      t.match(out, new RegExp(String.raw`${side} Version: v\d\.\d+\.[\d\w\-.+]+`));
  });

  await t.test('diff shows the difference of Deployments', async t => {
    t.equal((await kubectl('create -f -', { input: deployment('agnhost:2.1') })).code, 0);
    const { code, out } = await kubectl('diff -f -', { input: deployment('busybox:1.29') });
    t.equal(code, 1);
    t.match(out, /^-.*agnhost:2\.1$/m);
    t.match(out, /^\+.*busybox:1\.29$/m);
  });

  await t.test('run creates a Pod with restart policy Never', async t => {
    t.equal((await kubectl('run once --restart=Never --image=agnhost')).code, 0);
    t.match(await pods.get('once'), { spec: { restartPolicy: 'Never', containers: [{ image: 'agnhost' }] } });
  });

  await t.test('patch supports a server-side dry run', async t => {
    t.equal((await kubectl('run tried --image=agnhost --labels=run=tried')).code, 0);
    const patch = JSON.stringify({ spec: { containers: [{ name: 'tried', image: 'busybox' }] } });
    const { code, out } = await kubectl(`patch pod tried -p '${patch}' --dry-run=server -o jsonpath={..image}`);
    t.equal(code, 0);
    t.match(out, 'busybox');
    t.equal(await imageOf('tried'), 'agnhost');
  });

  await t.test('proxy listens on a free port', async t => {
    const proxy = kubectl.start('proxy --port=0');
    for await (const line of proxy.lines) {
      const port = Number(/Starting to serve on 127\.0\.0\.1:(\d+)/.exec(line)?.[1]);
      t.match(await versionsAt({ port }), { kind: 'APIVersions', versions: ['v1'] });
      break;
    }
    proxy.stop();
  });

  await t.test('proxy listens on a Unix socket', async t => {
    const socketPath = path.join(server.directory, 'proxy');
    const proxy = kubectl.start(`proxy --unix-socket=${socketPath}`);
    await until('the socket', () => existsSync(socketPath));
    // The file exists shortly before the proxy listens.
    await until('it is answered', () =>
      versionsAt({ socketPath }).then(
        () => true,
        () => false,
      ),
    );
    t.match(await versionsAt({ socketPath }), { kind: 'APIVersions', versions: ['v1'] });
    proxy.stop();
  });
});
