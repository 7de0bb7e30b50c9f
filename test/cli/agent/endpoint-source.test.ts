/** The order in which an agent looks for the credentials of its cluster. */
import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { clusterEndpointSource } from '../../../cli/agent/endpoint-source.js';
import { temporaryFolder } from '../../apiserver/running.js';

const named = (name: string) => ({ name, cluster: { server: `https://${name}.example.com` } });

const kubeconfig = (name: string): string =>
  JSON.stringify({
    clusters: [named(name), named('other')],
    contexts: [name, 'other'].map(each => ({ name: each, context: { cluster: each } })),
    'current-context': name,
  });

t.test('the kubeconfig of the flag comes before the variable, and this before the Pod', async t => {
  const folder = await temporaryFolder(t);
  const [flag, variable] = [path.join(folder, 'flag'), path.join(folder, 'variable')];
  await fs.writeFile(flag, kubeconfig('flag'));
  await fs.writeFile(variable, kubeconfig('variable'));
  const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
  const env = { KUBECONFIG: `${path.delimiter}${variable}${path.delimiter}${flag}`, ...pod };
  const server = (file: string, context: string, given: NodeJS.ProcessEnv): string =>
    clusterEndpointSource(file, context, given)().server;

  t.equal(server(flag, '', env), 'https://flag.example.com');
  t.equal(server(flag, 'other', env), 'https://other.example.com');
  t.equal(server('', '', env), 'https://variable.example.com', 'the first file of the variable');
  t.equal(server('', 'other', env), 'https://other.example.com');
  t.throws(() => server('', 'missing', env), { message: /missing/ });

  const ofPod = clusterEndpointSource('', '', { ...pod, KUBERNETES_SERVICE_HOST: 'fd00::1' });
  t.throws(ofPod, { code: 'ENOENT', path: '/var/run/secrets/kubernetes.io/serviceaccount/token' });
  const home = clusterEndpointSource('', 'named', pod);
  t.throws(home, { message: /\.kube\/config/ }, 'a Pod has no contexts, so a named one is of a file');
  t.throws(clusterEndpointSource('', '', { KUBECONFIG: '' }), { message: /\.kube\/config/ });
});

t.test('credentials are read anew each time', async t => {
  const file = path.join(await temporaryFolder(t), 'kubeconfig');
  const read = clusterEndpointSource(file, '', {});
  t.throws(read, { message: `the kubeconfig ${file} cannot be read: there is no such file` });
  t.throws(clusterEndpointSource(path.dirname(file), '', {}), { message: /cannot be read: it is a folder$/ });
  await fs.writeFile(file, 'a: b');
  t.throws(read, { message: `${file} has no current context` });
  const [clusters, users] = [[named('c')], [{ name: 'u', user: { tokenFile: '/no/file' } }]];
  const contexts = [{ name: 'c', context: { cluster: 'c', user: 'u' } }];
  await fs.writeFile(file, JSON.stringify({ clusters, users, contexts, 'current-context': 'c' }));
  t.throws(read, { message: `${file} names /no/file: there is no such file` });
  await fs.writeFile(file, kubeconfig('first'));
  t.equal(read().server, 'https://first.example.com');
  await fs.writeFile(file, kubeconfig('second'));
  t.equal(read().server, 'https://second.example.com');
});
