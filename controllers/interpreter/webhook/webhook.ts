import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { gvkOf } from '../../../apimachinery/meta/gvk.js';
import type { Maybe } from '../../../lib/maybe.js';
import { interpretedSubject } from '../calls/subject.js';
import type { Interpreter } from '../interface.js';
import type { WebhookCalls } from './calls.js';
import {
  componentsInResponse,
  dependenciesInResponse,
  healthIn,
  type Interpretation,
  patchIn,
  replicasIn,
  requestText,
  statusIn,
} from './context.js';
import type { Hooks } from './hooks.js';
import { patched } from './patch.js';

/**
 * Interprets the kinds of ResourceInterpreterWebhookConfigurations. `hooks` returns the present webhooks.
 * as pkg/resourceinterpreter/customized/webhook CustomizedInterpreter
 */
export function webhookInterpreter(calls: WebhookCalls, hooks: () => Hooks): Interpreter {
  async function interpret<T>(asked: Interpretation, read: (response: JsonObject) => Maybe<T>): Promise<T> {
    const { operation, object } = asked;
    const hook = hooks().find(gvkOf(object), operation);
    if (!hook) throw new Error(`there is no webhook for ${operation} of ${object.apiVersion}/${object.kind}`);
    return calls.ask(hook, { subject: interpretedSubject(operation, asked), request: requestText(asked) }, read);
  }
  const interpretPatch = (asked: Interpretation): Promise<KubeObject> =>
    interpret(asked, response => patched(asked.object, patchIn(response)));

  return {
    has: (kind, operation) => hooks().find(kind, operation) !== undefined,
    replicas: object => interpret({ operation: 'InterpretReplica', object }, replicasIn),
    components: object => interpret({ operation: 'InterpretComponent', object }, componentsInResponse),
    reviseReplica: (object, replicas) => interpretPatch({ operation: 'ReviseReplica', object, replicas }),
    retain: (desired, observed) => interpretPatch({ operation: 'Retain', object: desired, observed }),
    aggregateStatus: (object, items) => interpretPatch({ operation: 'AggregateStatus', object, items }),
    dependencies: object => interpret({ operation: 'InterpretDependency', object }, dependenciesInResponse),
    reflectStatus: object => interpret({ operation: 'InterpretStatus', object }, statusIn),
    health: object => interpret({ operation: 'InterpretHealth', object }, healthIn),
  };
}
