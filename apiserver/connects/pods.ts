/**
 * Serves log, exec, attach and portforward of Pods as far as that is possible without access to kubelets: errors in the request are answered as
 * by kube-apiserver.
 */
import { goQuote } from '../../lib/go/go-text.js';
import { badRequest, plainError } from '../../apimachinery/errors/status.js';
import type { Client } from '../../client/interface.js';
import type { Pod } from '../../api/kubernetes/core.js';
import type { ConnectHandler, ConnectRequest } from '../interface.js';
import { isTrueParameter } from '../http/request-info.js';
import { kubeletOf } from './kubelet.js';
import { logContainer } from './log-options.js';
import { pods } from '../../api/kubernetes/resources.js';

/** Returns the requested container, or the only one. Throws 400. as pkg/registry/core/pod/strategy.go validateContainer */
function containerIn({ metadata, spec }: Pod, container: string): string {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name);
  const pod = metadata.name ?? '';
  if (container !== '') {
    if (!names.includes(container)) throw badRequest(`container ${container} is not valid for pod ${pod}`);
    return container;
  }
  const [only] = containers;
  if (only && containers.length === 1) return only.name ?? '';
  const choice = containers.length === 0 ? '' : `, choose one of: [${names.join(' ')}]`;
  throw badRequest(`a container name must be specified for pod ${pod}${choice}`);
}

/** Returns the path of a log at the kubelet. as pkg/registry/core/pod/strategy.go LogLocation */
function logPath({ query, namespace, name }: ConnectRequest, container: string): string {
  const given = new URLSearchParams();
  for (const flag of ['follow', 'previous', 'timestamps'])
    if (isTrueParameter(query.get(flag))) given.set(flag, 'true');
  for (const option of ['limitBytes', 'sinceSeconds', 'sinceTime', 'tailLines']) {
    const value = query.get(option);
    if (value !== undefined) given.set(option, value);
  }
  given.sort();
  const text = given.toString();
  return `/containerLogs/${namespace}/${name}/${container}${text === '' ? '' : `?${text}`}`;
}

// differs: kube-apiserver connects to the kubelet; its error would be in this place of the message
const noKubelets = 'this server reaches no kubelets';

export function podConnects(client: Client): Readonly<Record<string, ConnectHandler>> {
  const podOf = async ({ namespace, name }: ConnectRequest): Promise<Pod> =>
    await client.get(pods, { namespace, name });

  const log: ConnectHandler = async request => {
    const requested = logContainer(request.query, request.name);
    const pod = await podOf(request);
    const container = containerIn(pod, requested);
    const node = pod.spec?.nodeName ?? '';
    // The Pod is not scheduled, so it has no log.
    if (node === '') return request.exchange.respond(204, request.answerHeaders(), undefined);
    const { address } = await kubeletOf(client, node);
    throw plainError(`Get ${goQuote(address + logPath(request, container))}: ${noKubelets}`);
  };

  const stream =
    (containerOf: (request: ConnectRequest) => string | undefined): ConnectHandler =>
    async request => {
      const pod = await podOf(request);
      const container = containerOf(request);
      if (container !== undefined) containerIn(pod, container);
      const node = pod.spec?.nodeName ?? '';
      if (node === '') throw badRequest(`pod ${request.name} does not have a host assigned`);
      await kubeletOf(client, node);
      // as apimachinery/pkg/util/proxy UpgradeAwareHandler
      if (request.exchange.upgrades === undefined) throw badRequest('Upgrade request required');
      throw plainError(`error dialing backend: ${noKubelets}`);
    };

  const named = stream(({ query }) => query.get('container') ?? '');
  return {
    'pods/log': log,
    'pods/exec': named,
    'pods/attach': named,
    'pods/portforward': stream(() => undefined),
  };
}
