/** Serves log, exec, attach and portforward of Pods through the kubelets of their nodes. */
import { goQuote } from '../../lib/go/go-text.js';
import { badRequest, failure, internal, plainError } from '../../apimachinery/errors/status.js';
import type { Client } from '../../client/interface.js';
import type { Pod } from '../../api/kubernetes/core.js';
import { plainProtocols } from '../../authn/identity/bearer.js';
import { connectOptions } from '../handlers/connect-options.js';
import { closingProtocol } from '../http/web-socket/channels.js';
import type { BackendRequest, ConnectHandler, ConnectRequest } from '../interface.js';
import { isTrueParameter } from '../http/request-info.js';
import { type KubeletAccess, kubeletOf, timeoutOf } from './kubelet.js';
import { logContainer } from './log-options.js';
import { pods } from '../../api/kubernetes/resources.js';
import { translateStreams } from './translate-streams.js';
import { tunnelProtocols, tunnelStreams } from './tunnel-streams.js';

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

/** Returns the query of a log at the kubelet. as pkg/registry/core/pod/strategy.go LogLocation */
function logQuery({ query }: ConnectRequest): string {
  const given = new URLSearchParams();
  for (const flag of ['follow', 'previous', 'timestamps'])
    if (isTrueParameter(query.get(flag))) given.set(flag, 'true');
  for (const option of ['limitBytes', 'sinceSeconds', 'sinceTime', 'tailLines']) {
    const value = query.get(option);
    if (value !== undefined) given.set(option, value);
  }
  given.sort();
  return given.toString();
}

/** Returns the query of a stream at the kubelet. as pkg/registry/core/pod/strategy.go streamParams */
function streamQuery(kind: string, { query }: ConnectRequest): string {
  const options: Record<string, unknown> = { ...connectOptions({ group: '', version: 'v1', kind }, query, '') };
  const params = new URLSearchParams();
  for (const [option, param] of Object.entries({ stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' }))
    if (options[option] === true) params.set(param, '1');
  for (const word of (options['command'] as string[] | null | undefined) ?? []) params.append('command', word);
  const ports = options['ports'] as number[] | undefined;
  if (ports) params.set('port', ports.join(','));
  params.sort();
  return params.toString();
}

/** Returns the error for a refused log. as apiserver/pkg/registry/generic/rest/response_checker.go */
function refusedLog(pod: string): (status: number, text: string) => Error {
  return (status, text) => {
    if (status === 500) return internal(text);
    if (status === 400) return badRequest(text);
    const what = `the server ${serverTexts[status] ?? 'responded with the status code ' + status + ' but did not return more information'}`;
    const reason = status === 404 ? 'NotFound' : status === 403 ? 'Forbidden' : status === 401 ? 'Unauthorized' : '';
    const causes = [{ reason: 'UnexpectedServerResponse', message: text }];
    return failure(status, reason, `${what} ( pods/log ${pod})`, { name: pod, kind: 'pods/log', causes });
  };
}

/** as apimachinery/pkg/api/errors NewGenericServerResponse */
const serverTexts: Readonly<Record<number, string>> = {
  401: 'has asked for the client to provide credentials',
  403: 'does not allow access to the requested resource',
  404: 'could not find the requested resource',
  429: 'has received too many requests and has asked us to try again later',
  503: 'is currently unable to handle the request',
};

type Kind = 'exec' | 'attach' | 'portForward';

const optionKinds: Readonly<Record<Kind, string>> = {
  exec: 'PodExecOptions',
  attach: 'PodAttachOptions',
  portForward: 'PodPortForwardOptions',
};

class PodStreams {
  readonly #access: KubeletAccess;
  readonly #client: Client;

  constructor(access: KubeletAccess) {
    this.#access = access;
    this.#client = access.client;
  }

  readonly log: ConnectHandler = async request => {
    const requested = logContainer(request.query, request.name);
    const pod = await this.#podOf(request);
    const container = containerIn(pod, requested);
    const node = pod.spec?.nodeName ?? '';
    // The Pod is not scheduled, so it has no log.
    if (node === '') return request.exchange.respond(204, request.answerHeaders(), undefined);
    const { address } = await kubeletOf(this.#access, node);
    const path = `/containerLogs/${request.namespace}/${request.name}/${container}`;
    const query = logQuery(request);
    // A kubelet begins the answer with the first line, for which `follow` may wait.
    const headMs = isTrueParameter(request.query.get('follow')) ? 0 : timeoutOf(this.#access);
    const trust = isTrueParameter(request.query.get('insecureSkipTLSVerifyBackend')) ? 'unverified-kubelet' : 'kubelet';
    const url = `${address}${path}${query === '' ? '' : `?${query}`}`;
    await this.#access.backends.forward(
      request,
      { origin: address, path, query, trust, headMs, ownHeaders: ['Audit-Id', request.auditId] },
      {
        failure: text => plainError(`Get ${goQuote(url)}: ${text}`),
        refusal: refusedLog(request.name),
        headers: () => ({ ...request.answerHeaders(), 'content-type': 'text/plain' }),
      },
    );
  };

  readonly exec: ConnectHandler = request => this.#stream('exec', request);
  readonly attach: ConnectHandler = request => this.#stream('attach', request);
  readonly portForward: ConnectHandler = request => this.#stream('portForward', request);

  #podOf({ namespace, name }: ConnectRequest): Promise<Pod> {
    return this.#client.get(pods, { namespace, name });
  }

  async #stream(kind: Kind, request: ConnectRequest): Promise<void> {
    const { exchange, namespace, name, query } = request;
    const pod = await this.#podOf(request);
    const container = kind === 'portForward' ? '' : `/${containerIn(pod, query.get('container') ?? '')}`;
    const node = pod.spec?.nodeName ?? '';
    if (node === '') throw badRequest(`pod ${name} does not have a host assigned`);
    const { address } = await kubeletOf(this.#access, node);
    // as apimachinery/pkg/util/proxy UpgradeAwareHandler
    if (exchange.upgrades === undefined) throw badRequest('Upgrade request required');
    const to: BackendRequest = {
      ...{
        origin: address,
        path: `/${kind}/${namespace}/${name}${container}`,
        query: streamQuery(optionKinds[kind], request),
      },
      ...{ trust: 'kubelet', headMs: timeoutOf(this.#access) },
    };
    const { backends } = this.#access;
    // differs: also for kubelets that speak WebSocket themselves, which get SPDY as those before 1.36
    const offered = exchange.upgrades.toLowerCase() === 'websocket' ? plainProtocols(exchange.headers) : [];
    if (kind !== 'portForward' && offered.includes(closingProtocol)) return translateStreams(request, to, backends);
    if (kind === 'portForward' && tunnelProtocols(offered).length > 0)
      return tunnelStreams(request, { to, backends, protocols: tunnelProtocols(offered) });
    await backends.forward(request, to, { failure: text => plainError(`error dialing backend: ${text}`) });
  }
}

/** Returns the handlers by PLURAL/SUBRESOURCE. */
export function podConnects(access: KubeletAccess): Readonly<Record<string, ConnectHandler>> {
  const { log, exec, attach, portForward } = new PodStreams(access);
  return { 'pods/log': log, 'pods/exec': exec, 'pods/attach': attach, 'pods/portforward': portForward };
}
