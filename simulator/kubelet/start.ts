import { isIP } from 'node:net';
import type { Node, Pod } from '../../openapi/gen/core-v1.js';
import { issueClient, issueServing } from '../../authn/pki/authority.js';
import type { Pki } from '../../authn/pki/files.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { nodes, pods } from '../../api/kubernetes/resources.js';
import { timestamp } from '../../client/runtime/conditions.js';
import { restarts } from '../pods/lifetime.js';
import { ended, endedEphemeral, restarted, writePodStatus } from '../pods/pod-status.js';
import { Containers } from './containers.js';
import type { KubeletAddresses } from './kubelet-addresses.js';
import { KubeletServer } from './server.js';

interface KubeletServerOptions {
  readonly cluster: string;
  readonly nodes: number;
  readonly host: string;
  readonly addresses: KubeletAddresses;
}

/** Opens the ports of a member's kubelets, with certificates that its authority signs. */
export async function startKubeletServer(
  context: ControllerContext,
  { authority }: Pki,
  { cluster, nodes: count, host, addresses }: KubeletServerOptions,
): Promise<{ readonly port: number; close(): void }> {
  const names = Array.from({ length: count }, (_, i) => `${cluster}-node-${i + 1}`);
  const hosts = [...names, 'localhost', '127.0.0.1', ...(isIP(host) === 0 ? [] : [host])];
  const [serving, credential] = await Promise.all([
    issueServing(authority, [...new Set(hosts)], { name: 'kubelet' }),
    issueClient(authority, { name: 'kube-apiserver-kubelet-client', groups: ['system:masters'] }),
  ]);
  const containers = new Containers(context.informers.informer<Pod>(pods), context.informers.informer<Node>(nodes));
  const { client, clock } = context;
  const server = new KubeletServer({
    ...{ host, serving, authority, containers, clock },
    async endContainer(pod, name, exitCode) {
      const now = timestamp(clock.now());
      const end = restarts(pod, exitCode) ? restarted : ended;
      await writePodStatus(client, pod, status => {
        Object.assign(status, endedEphemeral(status, name, exitCode, now) ?? end(status, now, exitCode));
      });
    },
  });
  const ports = await server.listen();
  addresses.credential = credential;
  addresses.authority = authority.certificate;
  const isNode = (name: string): boolean => containers.nodeAt(name) !== undefined;
  addresses.listening({ host, port: ports.kubelets }, { host, port: ports.pods }, isNode);
  return { port: ports.kubelets, close: () => server.close() };
}
