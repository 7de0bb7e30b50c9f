/** Validates ResourceInterpreterWebhookConfigurations. as pkg/webhook/configuration */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { checkDns1035Label, fullyQualifiedDomainNameFaults } from '../../../apimachinery/meta/names.js';
import {
  type WebhookService,
  webhookServiceFaults,
  webhookUrlFaults,
} from '../../../registry/strategy/webhook-client.js';
import type { Field } from '../../shared/rules/field.js';
import { ruleRefusal } from '../refusal.js';
import type { WebhookRule } from '../rules.js';

export interface InterpreterRule {
  operations: string[];
  apiGroups: string[];
  apiVersions: string[];
  kinds: string[];
}

export interface InterpreterWebhook {
  name: string;
  clientConfig: { url?: string; service?: WebhookService; caBundle?: string };
  rules?: InterpreterRule[];
  timeoutSeconds?: number;
  interpreterContextVersions: string[];
}

export interface InterpreterWebhookConfiguration extends KubeObject {
  webhooks: InterpreterWebhook[];
}

/** Sorted. `Prune` is not included, although upstream's API mentions it. */
const operations = [
  '*',
  'AggregateStatus',
  'InterpretComponent',
  'InterpretDependency',
  'InterpretHealth',
  'InterpretReplica',
  'InterpretStatus',
  'Retain',
  'ReviseReplica',
];
const contextVersion = 'v1alpha1';
const defaultPort = 443;

/** Checks names of something, or `*` for all. `what`: the plural noun for the message. */
function selection(list: Field<string[]>, what: string): void {
  if (list.isEmpty) list.required();
  if ((list.value?.length ?? 0) > 1 && list.value?.includes('*'))
    list.invalid(`if '*' is present, must not specify other ${what}`);
}

function noneEmpty(list: Field<string[]>): void {
  for (const item of list.items()) if (item.isEmpty) item.required();
}

function rule(at: Field<InterpreterRule>): void {
  selection(at.at('operations'), 'operations');
  for (const operation of at.at('operations').items())
    if (!operations.includes(operation.value ?? '')) operation.notSupported(operations);
  selection(at.at('apiGroups'), 'API groups');
  selection(at.at('apiVersions'), 'API versions');
  noneEmpty(at.at('apiVersions'));
  selection(at.at('kinds'), 'kinds');
  noneEmpty(at.at('kinds'));
}

function clientConfig(at: Field<InterpreterWebhook['clientConfig']>): void {
  const { url, service } = at.value ?? {};
  if ((url === undefined) === (service === undefined)) at.required('exactly one of url or service is required');
  else if (url !== undefined) at.add(...webhookUrlFaults(at.at('url').path, url));
  else at.add(...webhookServiceFaults(at.at('service').path, { port: defaultPort, ...service }));
}

function contextVersions(list: Field<string[]>): void {
  if (list.isEmpty) return list.required(`must specify one of ${contextVersion}`);
  const seen = new Set<string>();
  for (const version of list.items()) {
    if (seen.has(version.value ?? '')) version.invalid('duplicate version', version.value ?? '');
    else version.check(checkDns1035Label);
    seen.add(version.value ?? '');
  }
  if (!seen.has(contextVersion)) list.invalid(`must include at least one of ${contextVersion}`);
}

function webhook(hook: Field<InterpreterWebhook>): void {
  const name = hook.at('name');
  hook.add(...fullyQualifiedDomainNameFaults(name.path, name.value ?? ''));
  for (const each of hook.at('rules').items()) rule(each);
  const timeout = hook.at('timeoutSeconds');
  if (timeout.isSet && ((timeout.value ?? 0) > 30 || (timeout.value ?? 0) < 1))
    timeout.invalid('the timeout value must be between 1 and 30 seconds');
  clientConfig(hook.at('clientConfig'));
  contextVersions(hook.at('interpreterContextVersions'));
}

/** Refuses faulty webhooks, and two with one name. as pkg/webhook/configuration ValidatingAdmission.Handle */
export const validateInterpreterWebhooks: WebhookRule<InterpreterWebhookConfiguration> = object =>
  ruleRefusal<InterpreterWebhookConfiguration>(object, root => {
    const names = new Set<string>();
    for (const hook of root.at('webhooks').items()) {
      webhook(hook);
      const name = hook.at('name');
      if (names.has(name.value ?? '')) name.duplicate();
      names.add(name.value ?? '');
    }
  });
