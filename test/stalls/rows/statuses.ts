/** Members that report large statuses of the objects that were propagated to them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Row, Fixture } from '../row.js';
import { clusters, event, isWatch, join, json, memberFlags, respondHealthy } from './members.js';
import { get, object, post, range, remove } from './objects.js';

const group = 'networking.k8s.io/v1';
const ingresses = `/apis/${group}/namespaces/default/ingresses`;
const policies = '/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies';
const bindings = '/apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings';

const groups = {
  kind: 'APIGroupList',
  groups: [{ name: 'networking.k8s.io', versions: [{ groupVersion: group, version: 'v1' }] }],
};
const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
const resourceList = {
  kind: 'APIResourceList',
  groupVersion: group,
  resources: [{ name: 'ingresses', kind: 'Ingress', namespaced: true, verbs }],
};

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
}

/** A member that accepts one Ingress, and reports its status, a JSON text, again and again. */
class ReportingMember {
  readonly #status: string;
  readonly #watches = new Set<ServerResponse>();
  #object: Record<string, unknown> | undefined;
  #revision = 1;
  sent = 0;

  constructor(status: string) {
    this.#status = status;
  }

  readonly onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url = '' } = request;
    response.on('error', () => undefined);
    if (url.startsWith('/apis?') || url === '/apis') return json(response, groups);
    if (url === `/apis/${group}`) return json(response, resourceList);
    if (!url.includes('/ingresses')) return respondHealthy(request, response);
    if (method === 'POST' || method === 'PUT') return void this.#take(request, response);
    if (method === 'DELETE') return this.#drop(response);
    if (isWatch(request)) return this.#watch(response);
    const isOne = /\/ingresses\/[^?]/.test(url);
    if (isOne && !this.#object) return void response.writeHead(404).end(notFound);
    if (isOne) return json(response, this.#text());
    json(
      response,
      `{"kind":"IngressList","apiVersion":"${group}","metadata":{"resourceVersion":"${this.#revision}"},"items":[${this.#object ? this.#text() : ''}]}`,
    );
  };

  /** Sends the status to all watches again. */
  sendStatus(): void {
    if (!this.#object) return;
    this.#revision++;
    for (const watch of this.#watches) watch.write(`{"type":"MODIFIED","object":${this.#text()}}\n`);
    this.sent++;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#object = await bodyOf(request);
    this.#revision++;
    json(response, this.#text());
    for (const watch of this.#watches) watch.write(`{"type":"ADDED","object":${this.#text()}}\n`);
  }

  #drop(response: ServerResponse): void {
    for (const watch of this.#watches) if (this.#object) watch.write(event('DELETED', this.#object));
    this.#object = undefined;
    json(response, { kind: 'Status', apiVersion: 'v1', status: 'Success' });
  }

  #watch(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    this.#watches.add(response);
    response.once('close', () => this.#watches.delete(response));
  }

  #text(): string {
    const { metadata, ...rest } = this.#object ?? {};
    const known = { ...(metadata as object), uid: 'u', generation: 1, resourceVersion: `${this.#revision}` };
    // The counter makes each status different from the previous one.
    return `${JSON.stringify({ ...rest, metadata: known }).slice(0, -1)},"status":{"at":${this.#revision},"a":${this.#status}}}`;
  }
}

const notFound = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 });

/** Waits until the member has received the propagated object, and has sent its status a few times. */
async function applied(fixture: Fixture, own: string, member: ReportingMember): Promise<void> {
  for (let i = 0; i < 400 && member.sent < 6; i++) {
    await fixture.send(get(`${bindings}/${own}-ingress`));
    member.sendStatus();
    await setTimeout(50);
  }
  if (member.sent === 0) throw new Error('the member has sent no status');
}

/** Waits for an Event that reports that the status is too large to be collected. */
async function refused(fixture: Fixture, own: string): Promise<void> {
  const events = `/api/v1/namespaces/karmada-es-${own}/events?fieldSelector=reason%3DReflectStatusFailed`;
  for (let i = 0; i < 300; i++) {
    const { text } = await fixture.send(get(events));
    if (text.includes('an object may consist of at most')) return;
    await setTimeout(50);
  }
  throw new Error('no Event reports that the status is too large');
}

interface StatusRow {
  readonly name: string;
  readonly size: number;
  /** The JSON of the status. */
  readonly text: (size: number) => string;
  /** The size from which the status is not collected, and an Event reports that. */
  readonly refusedFrom?: number;
}

/** Propagates an Ingress to a member that reports this status. */
const status = ({ name, size, text, refusedFrom = Infinity }: StatusRow): Row => ({
  name: `statuses/${name}`,
  size,
  flags: memberFlags,
  retainedBytes: 64 << 20,
  async play(fixture) {
    const own = fixture.name();
    const backend = await fixture.backend();
    const member = new ReportingMember(text(fixture.size));
    backend.onRequest = member.onRequest;
    await join(fixture, own, backend.url, backend.authority);
    const resourceSelectors = [{ apiVersion: group, kind: 'Ingress', name: own }];
    const placement = { clusterAffinity: { clusterNames: [own] } };
    await fixture.must(
      post(
        policies,
        object('policy.karmada.io/v1alpha1', 'PropagationPolicy', own, { spec: { resourceSelectors, placement } }),
      ),
    );
    const spec = { defaultBackend: { service: { name: 's', port: { number: 80 } } } };
    await fixture.must(post(ingresses, object(group, 'Ingress', own, { spec })));
    await applied(fixture, own, member);
    if (fixture.size >= refusedFrom) await refused(fixture, own);
    const restMs = fixture.warmUp ? 100 : 500;
    await setTimeout(restMs); // The server is still writing the last status.
    await fixture.must(remove(`${ingresses}/${own}`));
    await fixture.must(remove(`${policies}/${own}`));
    await setTimeout(restMs);
    await backend.stop();
    await fixture.must(remove(`${clusters}/${own}`));
  },
});

export const statusRows: readonly Row[] = [
  status({ name: 'values', size: 1_400_000, text: size => `[1${',1'.repeat(size)}]` }),
  status({ name: 'values-taken', size: 45_000, text: size => `[1${',1'.repeat(size)}]` }),
  status({
    name: 'objects',
    size: 40_000,
    text: size => JSON.stringify(range(size, i => ({ ip: `10.0.0.${i % 250}` }))),
    refusedFrom: 30_000,
  }),
  status({ name: 'text', size: 3_000_000, text: size => JSON.stringify('x'.repeat(size)) }),
  status({ name: 'text-taken', size: 900_000, text: size => JSON.stringify('x'.repeat(size)) }),
  status({ name: 'deep', size: 100_000, text: size => `${'['.repeat(size)}${']'.repeat(size)}` }),
  status({ name: 'keys', size: 200_000, text: size => `{${range(size, i => `"k${i}":1`).join()}}` }),
];
