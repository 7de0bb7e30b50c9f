/** A server with admission webhooks, and the webhooks that it calls. */
import { type Test } from 'tap';
import type { Client } from '../../../client/interface.js';
import { type Webhook, admissionAnswer as answer, startWebhook } from '../../aggregation/webhooks.js';
import { refusal } from '../../registry/serve.js';
import {
  type Configured,
  configured,
  eventually,
  mutatingConfigurations,
  v1,
  validatingConfigurations,
  create,
} from '../plugins/configured.js';
import { object } from '../plugins/guarded.js';

export const uidForm = /^[0-9a-f-]{36}$/;

type Kind = 'Mutating' | 'Validating';

export const hook = (webhook: Webhook, more: object = {}): object => ({
  name: 'w.example.com',
  clientConfig: { url: `${webhook.url}/w`, caBundle: webhook.caBundle },
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
});

const configurations = (kind: Kind) => (kind === 'Mutating' ? mutatingConfigurations : validatingConfigurations);

export async function configure(client: Client, kind: Kind, name: string, ...webhooks: object[]): Promise<void> {
  await client.create(configurations(kind), object(v1, `${kind}WebhookConfiguration`, { name }, { webhooks }));
}

/** Deletes a configuration, and waits until the webhook is not called any more. */
export async function forget(
  server: Configured,
  kind: Kind,
  name: string,
  webhook: Webhook,
  attempt = () => create(server),
): Promise<void> {
  await server.client.delete(configurations(kind), { name });
  await eventually(
    async () => {
      const before = webhook.calls.length;
      await refusal(attempt());
      return webhook.calls.length - before;
    },
    calls => calls === 0,
  );
  webhook.calls.length = 0;
}

/** Repeats the attempt until the webhook is called. */
export async function called(webhook: Webhook, attempt: () => Promise<unknown>): Promise<unknown> {
  return eventually(attempt, () => webhook.calls.length > 0);
}

export const requestOf = (webhook: Webhook, at = -1) =>
  webhook.calls.at(at)?.body['request'] as Record<string, unknown>;

export async function start(t: Test): Promise<{ readonly server: Configured; readonly webhook: Webhook }> {
  const [server, webhook] = await Promise.all([configured(t), startWebhook(t, review => answer(review))]);
  return { server, webhook };
}
