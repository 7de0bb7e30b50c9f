/**
 * Log, exec, attach and portforward of Pods, as far as a server comes that reaches no kubelet: what is wrong with the request is
 * answered as kube-apiserver answers it (HTTP-014).
 */
import { badRequest, plainError } from '../../openapi/meta/status.js';
import type { Client } from '../../registry/interface.js';
import type { Pod } from '../../registry/kinds/types/core.js';
import type { Connect, ConnectRequest } from '../interface.js';
import { logContainer } from './log-options.js';

const pods = { group: '', version: 'v1', resource: 'pods' };
const nodes = { group: '', version: 'v1', resource: 'nodes' };

/** as pkg/registry/core/pod/strategy.go validateContainer */
function checkContainer(container: string, { metadata, spec }: Pod): void {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name);
  const pod = metadata.name ?? '';
  if (container !== '') {
    if (!names.includes(container)) throw badRequest(`container ${container} is not valid for pod ${pod}`);
    return;
  }
  if (containers.length === 1) return;
  const choice = containers.length === 0 ? '' : `, choose one of: [${names.join(' ')}]`;
  throw badRequest(`a container name must be specified for pod ${pod}${choice}`);
}

/** differs: kube-apiserver asks the kubelet, and says why it could not. */
async function nodeOf(client: Client, name: string): Promise<never> {
  await client.get(nodes, { name });
  throw plainError('error dialing backend: this server reaches no kubelets');
}

export function podConnects(client: Client): Readonly<Record<string, Connect>> {
  const podOf = async ({ namespace, name }: ConnectRequest): Promise<Pod> =>
    await client.get(pods, { namespace, name });

  const log: Connect = async request => {
    const container = logContainer(request.query, request.name);
    const pod = await podOf(request);
    checkContainer(container, pod);
    const node = pod.spec?.nodeName ?? '';
    if (node !== '') return nodeOf(client, node);
    request.exchange.respond(204, request.answerHeaders(), undefined); // it runs nowhere: there is nothing to read
  };

  const stream =
    (containerOf: (request: ConnectRequest) => string | undefined): Connect =>
    async request => {
      const pod = await podOf(request);
      const container = containerOf(request);
      if (container !== undefined) checkContainer(container, pod);
      const node = pod.spec?.nodeName ?? '';
      if (node === '') throw badRequest(`pod ${request.name} does not have a host assigned`);
      return nodeOf(client, node);
    };

  const named = stream(({ query }) => query.get('container') ?? '');
  return {
    'pods/log': log,
    'pods/exec': named,
    'pods/attach': named,
    'pods/portforward': stream(() => undefined),
  };
}
