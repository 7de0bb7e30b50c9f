// as pkg/apis/admissionregistration/validation ValidateValidatingWebhookConfiguration, ValidateMutatingWebhookConfiguration
import type { InSteps } from '../../../lib/time-slice.js';
import { semanticEqual } from '../../../lib/json/equality.js';
import { checkDns1035Label, fullyQualifiedNameFaults } from '../../../apimachinery/meta/names.js';
import { webhookServiceFaults, webhookUrlFaults } from '../../../registry/strategy/webhook-client.js';
import type { Field } from '../../shared/rules/field.js';
import { isInvalidSelector, labelSelector } from '../../shared/rules/selector-rules.js';
import { validateInSteps } from '../../shared/rules/validate.js';
import { warnings } from '../../shared/rules/warnings.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { MutatingWebhook, WebhookClientConfig } from '../../../api/kubernetes/admissionregistration.js';
import { matchConditions } from './expression-rules.js';
import { ruleWithOperations } from './operation-rules.js';
import { oneOf } from '../../shared/rules/one-of.js';

/** A validating webhook has the same fields except one. */
type Webhook = MutatingWebhook;
type Configuration = KubeObject & { webhooks?: Webhook[] };

export const failurePolicies = ['Fail', 'Ignore'];
export const matchPolicies = ['Equivalent', 'Exact'];
export const reinvocations = ['IfNeeded', 'Never'];
const reviews = ['v1', 'v1beta1'];
const harmless = ['None', 'NoneOnDryRun'];
const allEffects = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];
const maxTimeoutSeconds = 30;

/** Which errors are allowed because the stored configuration already has them. */
interface AllowedErrors {
  readonly conditions: boolean;
  readonly sideEffects: boolean;
  readonly reviews: boolean;
  readonly names: boolean;
  readonly selectors: boolean;
}

const known = (hook: Webhook): boolean =>
  !hook.admissionReviewVersions?.length || hook.admissionReviewVersions.some(version => reviews.includes(version));

function* allowedErrors(old: Configuration | undefined, now: Configuration | undefined): InSteps<AllowedErrors> {
  const before = old?.webhooks ?? [];
  const hooks = now?.webhooks ?? [];
  let conditions = old !== undefined && hooks.length === before.length;
  let selectors = false;
  for (const [i, hook] of before.entries()) {
    yield;
    conditions &&= semanticEqual(hook.matchConditions, hooks[i]?.matchConditions);
    selectors ||= isInvalidSelector(hook.namespaceSelector) || isInvalidSelector(hook.objectSelector);
  }
  return {
    conditions,
    selectors,
    sideEffects: before.some(hook => !harmless.includes(hook.sideEffects ?? '')),
    reviews: !before.every(known),
    names: new Set(before.map(hook => hook.name)).size < before.length,
  };
}

function* webhook(hook: Field<Webhook>, tolerated: AllowedErrors): InSteps<void> {
  yield;
  hook.add(...fullyQualifiedNameFaults(hook.at('name').path, hook.value?.name ?? ''));
  for (const rule of hook.at('rules').items()) yield* ruleWithOperations(rule);
  oneOf(hook.at('failurePolicy'), failurePolicies);
  oneOf(hook.at('matchPolicy'), matchPolicies);
  const [effects, timeout] = [hook.at('sideEffects'), hook.at('timeoutSeconds')];
  const allowed = tolerated.sideEffects ? allEffects : harmless;
  if (!effects.isSet) effects.required(`must specify one of ${allowed.join(', ')}`);
  oneOf(effects, allowed);
  const seconds = timeout.value ?? 1;
  if (seconds < 1 || seconds > maxTimeoutSeconds) timeout.invalid('the timeout value must be between 1 and 30 seconds');
  labelSelector(hook.at('namespaceSelector'), tolerated.selectors);
  labelSelector(hook.at('objectSelector'), tolerated.selectors);
  oneOf(hook.at('reinvocationPolicy'), reinvocations);
  client(hook.at('clientConfig'));
  if (!tolerated.conditions) yield* matchConditions(hook.at('matchConditions'), false);
}

function client(config: Field<WebhookClientConfig>): void {
  const [url, service] = [config.at('url'), config.at('service')];
  const { name = '', namespace = '', path, port = 0 } = service.value ?? {};
  if (url.isSet === service.isSet) config.required('exactly one of url or service is required');
  else if (url.isSet) config.add(...webhookUrlFaults(url.path, url.value ?? ''));
  // Upstream swaps the two names.
  else
    config.add(
      ...webhookServiceFaults(service.path, {
        name: namespace,
        namespace: name,
        port,
        ...(path !== undefined && { path }),
      }),
    );
}

function reviewVersions(list: Field<string[]>, tolerated: AllowedErrors): void {
  const all = list.value ?? [];
  if (all.length === 0) {
    list.required(`must specify one of ${reviews.join(', ')}`);
    return;
  }
  const seen = new Set<string>();
  for (const version of list.items()) {
    const text = version.value ?? '';
    if (seen.has(text)) version.invalid('duplicate version');
    else version.check(checkDns1035Label);
    seen.add(text);
  }
  if (!tolerated.reviews && !all.some(version => reviews.includes(version)))
    list.invalid(`must include at least one of ${reviews.join(', ')}`);
}

export const validateWebhooks = validateInSteps<Configuration>(function* (configuration, old) {
  const tolerated = yield* allowedErrors(old, configuration.value);
  const seen = new Set<string>();
  for (const hook of configuration.at('webhooks').items()) {
    yield* webhook(hook, tolerated);
    reviewVersions(hook.at('admissionReviewVersions'), tolerated);
    const name = hook.at('name');
    if (!tolerated.names && !name.isEmpty && seen.has(name.value ?? '')) name.duplicate();
    seen.add(name.value ?? '');
  }
});

const staticSuffix = '.static.k8s.io';

/** Warns about names that are reserved for files on the server. */
export const staticNameWarnings = warnings<KubeObject>((object, warn) => {
  if (object.value?.metadata.name?.endsWith(staticSuffix))
    warn(
      `metadata.name: names ending with "${staticSuffix}" are reserved for static manifest-based configurations and cannot be managed via the API`,
    );
});
