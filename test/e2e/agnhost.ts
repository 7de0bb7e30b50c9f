/** Starts a whole server with webhooks that answer like those of agnhost, which the conformance suite of Kubernetes uses. */
import { setTimeout } from 'node:timers/promises';
import { type Test } from 'tap';
import { type Webhook, admissionAnswer, patchAnswer, startWebhook } from '../aggregation/webhooks.js';
import { type Answer, type HttpClient, httpClient } from '../apiserver/http-client.js';
import { runningServer } from '../apiserver/running.js';

export type Plain = Record<string, unknown>;
type Object = Plain & { metadata?: { name?: string; labels?: Plain }; data?: Record<string, string>; spec?: Plain };
interface Review {
  readonly object: Object | null;
  readonly oldObject: Object | null;
  readonly operation: string;
}

const requestOf = (review: Plain): Review => review['request'] as Review;

export const offend = 'webhook-e2e-test';
const unwanted = (review: Plain, message: string): ReturnType<typeof admissionAnswer> =>
  admissionAnswer(review, { allowed: false, status: { reason: message } });

const wants = ({ object, oldObject, operation }: Review): boolean =>
  (operation === 'DELETE' ? oldObject : object)?.data?.[offend] === undefined;

/** The answers of the webhooks, by path. */
const hooks: Readonly<Record<string, Webhook['answer']>> = {
  '/always-deny': review => unwanted(review, 'this webhook denies all requests'),
  '/configmaps': review =>
    wants(requestOf(review))
      ? admissionAnswer(review)
      : unwanted(review, 'the configmap contains unwanted key and value'),
  '/custom-resource': review =>
    wants(requestOf(review)) ? admissionAnswer(review) : unwanted(review, 'the custom resource contains unwanted data'),
  '/crd': review =>
    requestOf(review).object?.metadata?.labels?.[offend] === 'webhook-disallow'
      ? unwanted(review, 'the crd contains unwanted label')
      : admissionAnswer(review),
  '/pods': review => {
    const image = JSON.stringify(requestOf(review).object?.spec ?? {});
    if (image.includes('webhook-disallow'))
      return unwanted(review, 'the pod contains unwanted container name; the pod response contains unwanted label');
    return admissionAnswer(review);
  },
  '/pods/attach': review => unwanted(review, "attaching to pod 'to-be-attached-pod' is not allowed"),
  '/mutating-pods': review =>
    patchAnswer(review, [
      {
        op: 'add',
        path: '/spec/initContainers',
        value: [{ image: 'webhook-added-image', name: 'webhook-added-init-container', resources: {} }],
      },
    ]),
  '/mutating-configmaps': review => mutateData(review, 'mutation-start', 'mutation-stage-1'),
  '/mutating-configmaps-2': review => mutateData(review, 'mutation-stage-1', 'mutation-stage-2'),
  '/skip-me': review =>
    requestOf(review).object?.metadata?.name === 'skip-me' ? admissionAnswer(review) : unwanted(review, 'not skipped'),
  '/wait': async review => {
    await setTimeout(5000, undefined, { ref: false });
    return admissionAnswer(review);
  },
  '/convert': review => {
    const { uid, desiredAPIVersion, objects } = review['request'] as {
      uid: string;
      desiredAPIVersion: string;
      objects: Object[];
    };
    const convertedObjects = objects.map(({ hostPort, host, port, ...rest }) => {
      const [first, second] = String(hostPort ?? '').split(':');
      const fields = desiredAPIVersion.endsWith('/v2')
        ? { host: first, port: second }
        : { hostPort: `${String(host)}:${String(port)}` };
      return { ...rest, apiVersion: desiredAPIVersion, ...fields };
    });
    const { apiVersion } = review;
    return {
      body: {
        kind: 'ConversionReview',
        apiVersion,
        response: { uid, convertedObjects, result: { status: 'Success' } },
      },
    };
  },
};

function mutateData(review: Plain, seen: string, added: string): ReturnType<typeof admissionAnswer> {
  const { object } = requestOf(review);
  if (object?.data?.[seen] !== 'yes') return admissionAnswer(review);
  return patchAnswer(review, [{ op: 'add', path: `/data/${added}`, value: 'yes' }]);
}

export interface Stage {
  readonly ask: HttpClient;
  readonly webhook: Webhook;
  readonly server: Awaited<ReturnType<typeof runningServer>>;
}

export async function stage(t: Test): Promise<Stage> {
  const webhook = await startWebhook(
    t,
    (review, path) => hooks[path.replace(/\?.*/, '')]?.(review, path) ?? { status: 404 },
    ['e2e-test-webhook.default.svc'],
  );
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  const service = { type: 'ExternalName', externalName: '127.0.0.1', ports: [{ port: webhook.port }] };
  await must(
    ask('POST /api/v1/namespaces/default/services', {
      body: { kind: 'Service', apiVersion: 'v1', metadata: { name: 'e2e-test-webhook' }, spec: service },
    }),
  );
  return { ask, webhook, server };
}

export async function must(asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked;
  if (answer.status >= 300) throw new Error(answer.text);
  return answer;
}

/** Repeats `attempt` until `isSo` is true for its answer, and returns that answer. */
export async function until(attempt: () => Promise<Answer>, isSo: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const answer = await attempt();
    if (isSo(answer)) return answer;
    await setTimeout(5);
  }
}

export const configMap = (name: string, data: object = {}) => ({
  body: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data },
});
export const pod = (name: string, container = 'c') => ({
  body: {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name },
    spec: { containers: [{ name: container, image: 'nginx' }] },
  },
});
export const configMaps = '/api/v1/namespaces/default/configmaps';
export const pods = '/api/v1/namespaces/default/pods';
