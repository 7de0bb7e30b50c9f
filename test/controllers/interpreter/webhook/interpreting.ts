/** An interpreter that calls a real webhook, and what the webhook answers. */
import { setMaxListeners } from 'node:events';
import type { Test } from 'tap';
import { serviceResolver } from '../../../../aggregation/webhooks/resolve-service.js';
import { webhookCaller } from '../../../../aggregation/webhooks/caller.js';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { Client } from '../../../../client/interface.js';
import { NotSynced } from '../../../../client/runtime/controller.js';
import type { Interpreter, Operation } from '../../../../controllers/interpreter/interface.js';
import { DetachedCalls } from '../../../../controllers/interpreter/calls/detached-calls.js';
import { WebhookCalls } from '../../../../controllers/interpreter/webhook/calls.js';
import { Hooks } from '../../../../controllers/interpreter/webhook/hooks.js';
import { webhookInterpreter } from '../../../../controllers/interpreter/webhook/webhook.js';
import type { Maybe } from '../../../../lib/maybe.js';
import type { Reply, Webhook } from '../../../aggregation/webhooks.js';

export const game: KubeObject = {
  ...{ apiVersion: 'example.com/v1', kind: 'Game', metadata: { name: 'g', namespace: 'n' } },
  spec: { size: 2 },
  status: { up: 1 },
};

export const gameKind = { group: 'example.com', version: 'v1', kind: 'Game' };

interface RuleOptions {
  readonly name?: string;
  readonly operations?: readonly (Operation | '*')[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly kinds?: readonly string[];
  /** Fields of the webhook in place of the usual ones. */
  readonly more?: object;
}

/** Returns one webhook of a configuration, for Games unless the options say otherwise. */
export function hookOf({ url, caBundle }: Pick<Webhook, 'url' | 'caBundle'>, options: RuleOptions = {}): object {
  const { name = 'w.example.com', more } = options;
  const { operations = ['*'], apiGroups = ['example.com'], apiVersions = ['v1'], kinds = ['Game'] } = options;
  return {
    name,
    clientConfig: { url: `${url}/interpret`, caBundle },
    rules: [{ operations, apiGroups, apiVersions, kinds }],
    timeoutSeconds: 5,
    interpreterContextVersions: ['v1alpha1'],
    ...more,
  };
}

export const configuration = (name: string, ...webhooks: readonly object[]): KubeObject => ({
  ...{ apiVersion: 'config.karmada.io/v1alpha1', kind: 'ResourceInterpreterWebhookConfiguration', metadata: { name } },
  webhooks,
});

/** Returns the answer to a request: a success unless the response says otherwise. */
export function reply(review: Record<string, unknown>, response: object): Reply {
  const { uid } = review['request'] as { uid: string };
  return { body: { response: { uid, successful: true, ...response } } };
}

/** Returns the fields of a response with a patch. */
export const patchOf = (operations: unknown): object => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

/** Creates interpreters of configurations. They share connections, and no answers. `client` is that of the Services. */
export function interpreters(t: Test, configurations: readonly KubeObject[], client?: Client): () => Interpreter {
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const resolve = client
    ? serviceResolver({ client, self: () => undefined })
    : () => Promise.reject(new Error('there are no services'));
  const caller = webhookCaller({ resolve });
  t.teardown(async () => {
    stopping.abort();
    await caller.close();
  });
  const hooks = new Hooks(configurations);
  const { signal } = stopping;
  return () => {
    const calls = new DetachedCalls(signal);
    return webhookInterpreter(new WebhookCalls({ call: caller.call, calls, signal }), () => hooks);
  };
}

/** Interprets until the answer is there, as a controller does, however slow the machine is. */
export async function answered<T>(interpret: () => Maybe<T>): Promise<T> {
  for (;;) {
    try {
      return await interpret();
    } catch (error) {
      if (!(error instanceof NotSynced)) throw error;
      await error.synced;
    }
  }
}
