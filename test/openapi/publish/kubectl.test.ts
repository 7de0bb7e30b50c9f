import { execFile } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import t from 'tap';
import type { Publications } from '../../../openapi/publish/interface.js';
import { publications } from '../../../openapi/publish/publications.js';
import { custom, nativePublished, sourceOf, toProtobuf } from './sources.js';

/** Returns the document at a path, in the simplest form that kubectl accepts. */
async function find(published: Publications, url: URL, accept: string): Promise<Buffer | object | undefined> {
  const pathname = url.pathname.replace(/\/$/, '');
  const aggregated = accept.includes('as=APIGroupDiscoveryList');
  if (pathname === '/api') return aggregated ? published.aggregated('api').json : published.coreVersions('localhost:1');
  if (pathname === '/apis') return aggregated ? published.aggregated('apis').json : published.groups();
  if (pathname === '/openapi/v2') return published.openApiV2Protobuf();
  if (pathname === '/openapi/v3') return (await published.openApiV3Index()).json;
  if (pathname.startsWith('/openapi/v3/'))
    return (await published.openApiV3(pathname.slice('/openapi/v3/'.length)))?.json;
  const [, group = '', version] = /^\/(?:api|apis\/([^/]+))\/(v\w+)$/.exec(pathname) ?? [];
  return version === undefined ? undefined : published.resources(group, version);
}

function serve(published: Publications, answers: 'aggregated' | 'legacy'): http.Server {
  const respond: http.RequestListener = async (request, response) => {
    const accept = answers === 'aggregated' ? (request.headers.accept ?? '') : '';
    const body = await find(published, new URL(request.url ?? '', 'http://localhost'), accept);
    const [mediaType = ''] = accept.split(',');
    const type =
      mediaType.includes('as=') || mediaType.includes('protobuf') ? mediaType.replace('@', '.') : 'application/json';
    response.writeHead(body ? 200 : 404, { 'content-type': type });
    response.end(body instanceof Uint8Array ? body : JSON.stringify(body ?? {}));
  };
  return http.createServer((request, response) => void respond(request, response));
}

for (const answers of ['aggregated', 'legacy'] as const)
  t.test(`kubectl understands the documents (${answers} discovery)`, async t => {
    const crontab = custom({
      group: 'stable.example.com',
      kind: 'CronTab',
      shortNames: ['ct'],
      versions: [
        {
          name: 'v1',
          served: true,
          selectableFields: {},
          schema: {
            type: 'object',
            description: 'A job by the clock.',
            properties: {
              spec: { type: 'object', properties: { image: { type: 'string', description: 'What runs.' } } },
            },
          },
        },
      ],
    });
    const describe = (type: string, field?: string): string => `text of ${type.split('.').pop()} ${field ?? ''}`;
    const source = sourceOf([...nativePublished(r => r.onByDefault), crontab], { describe });
    const server = serve(publications(source, toProtobuf), answers);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'flagship-kubectl-'));
    t.teardown(() => {
      server.close();
      fs.rmSync(home, { recursive: true });
    });
    const { port } = server.address() as AddressInfo;
    const kubectl = async (...args: string[]): Promise<string> => {
      const env = { ...process.env, HOME: home, KUBECONFIG: path.join(home, 'none') };
      const { stdout } = await promisify(execFile)('kubectl', ['--server', `http://127.0.0.1:${port}`, ...args], {
        env,
      });
      return stdout;
    };

    const resources = (await kubectl('api-resources', '--no-headers')).split('\n').map(line => line.split(/\s+/));
    t.strictSame(
      resources.find(([name]) => name === 'deployments'),
      ['deployments', 'deploy', 'apps/v1', 'true', 'Deployment'],
    );
    t.strictSame(
      resources.find(([name]) => name === 'crontabs'),
      ['crontabs', 'ct', 'stable.example.com/v1', 'true', 'CronTab'],
    );
    t.equal(resources.filter(([name]) => name).length, 68);
    t.match(await kubectl('api-resources', '--categories=all', '-o', 'name'), 'deployments.apps');
    if (answers === 'legacy') return;
    t.match(
      await kubectl('explain', 'deploy.spec.template.spec.containers.ports.protocol'),
      'text of ContainerPort protocol',
    );
    t.match(await kubectl('explain', 'ct'), 'A job by the clock.');
    t.match(await kubectl('explain', 'ct.spec.image'), /FIELD: image <string>[^]*What runs\./);
    t.match(await kubectl('explain', 'pod.spec.restartPolicy'), /ENUM:\s+Always\s+Never\s+OnFailure/);
    const v2 = ['--output', 'plaintext-openapiv2'];
    t.match(await kubectl('explain', 'deploy.spec.template.spec.containers', ...v2), /name\s+<string> -required-/);
    t.match(await kubectl('explain', 'ct.spec', ...v2), /image\s+<string>\s+What runs\./);
    t.match(await kubectl('explain', 'hpa.spec.metrics', '--api-version=autoscaling/v2'), 'MetricSpec');
  });
