/** A server with the built-in plugins, and with webhooks and policies that are configured by its own objects. */
import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Test } from 'tap';
import { webhookCaller } from '../../../aggregation/webhooks/caller.js';
import { serviceResolver } from '../../../aggregation/webhooks/resolve-service.js';
import { conditionMetrics, policyMetrics, webhookMetrics } from '../../../apiserver/metrics/admission-metrics.js';
import type { Authorizer } from '../../../registry/access.js';
import { builtInPlugins } from '../../../admission/plugins/built-in.js';
import { chain } from '../../../admission/chain.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../../registry/admission-plugin.js';
import { admissionPolicies } from '../../../admission/policy/plugins.js';
import { reinvoking } from '../../../admission/reinvocation.js';
import { admissionWebhooks } from '../../../admission/webhook/webhooks.js';
import type { Client } from '../../../client/interface.js';
import {
  type ServeOptions,
  type Served,
  configMap,
  configmaps,
  namespaces,
  refusal,
  serve,
} from '../../registry/serve.js';
import { object, resource } from './guarded.js';

const configuration = (name: string) => resource(name, 'admissionregistration.k8s.io');
export const mutatingConfigurations = configuration('mutatingwebhookconfigurations');
export const validatingConfigurations = configuration('validatingwebhookconfigurations');
const validatingPolicies = configuration('validatingadmissionpolicies');
export const validatingBindings = configuration('validatingadmissionpolicybindings');
export const mutatingPolicies = configuration('mutatingadmissionpolicies');
const mutatingBindings = configuration('mutatingadmissionpolicybindings');

export interface Configured extends Served {
  /** Audit annotations, by key. */
  readonly annotations: Map<string, string>;
  /** Adds a plugin that changes objects after all webhooks. */
  addMutation(mutate: (request: AdmissionRequest) => void): void;
}

export const admins: Authorizer = user => ({ allowed: user.groups.includes('system:masters'), reason: '' });

interface ConfiguredOptions extends ServeOptions {
  readonly authorize?: Authorizer;
  /** Registry for the metrics of admission. */
  readonly metrics?: Registry;
}

export async function configured(t: Test, options: ConfiguredOptions = {}): Promise<Configured> {
  let plugins: AdmissionPlugin = { name: 'none' };
  const annotations = new Map<string, string>();
  const annotate = (key: string, value: string) => void annotations.set(key, annotations.get(key) ?? value);
  const noted = (request: AdmissionRequest): AdmissionRequest => Object.assign(request, { annotate });
  const served = await serve(t, {
    ...options,
    admission: () => ({
      name: 'late',
      mutate: request => plugins.mutate?.(noted(request)),
      validate: request => plugins.validate?.(noted(request)),
    }),
  });
  const { client, catalogue, clock } = served;
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const { authorize = admins, metrics } = options;
  const common = {
    client,
    catalogue,
    authorize,
    signal: stopping.signal,
    ...(metrics && { conditions: conditionMetrics(metrics) }),
    onError: (error: unknown) => t.fail(String(error)),
  };
  const caller = webhookCaller({ resolve: serviceResolver({ client, self: () => undefined, random: () => 0 }) });
  const webhooks = admissionWebhooks({
    ...common,
    call: caller.call,
    ...(metrics && { observe: webhookMetrics(metrics) }),
  });
  const policies = admissionPolicies({ ...common, ...(metrics && { observe: policyMetrics(metrics) }) });
  t.teardown(async () => {
    stopping.abort();
    await Promise.all([webhooks.done, policies.done]);
    await caller.close();
  });
  await Promise.all([webhooks.synced, policies.synced]);
  const late: ((request: AdmissionRequest) => void)[] = [];
  const guests: AdmissionPlugin[] = [
    policies.mutating,
    webhooks.mutating,
    { name: 'Late', mutate: request => late.forEach(mutate => mutate(request)) },
    policies.validating,
    webhooks.validating,
  ];
  plugins = reinvoking(chain(builtInPlugins({ client, now: () => new Date(clock.now) }, guests)));
  await client.create(namespaces, object('v1', 'Namespace', { name: 'default' }));
  return { ...served, annotations, addMutation: mutate => void late.push(mutate) };
}

/** The ConfigMap that tests write as a dry run. */
export const x = { name: 'x', namespace: 'default' };
export const create = ({ client }: Configured, more: Record<string, unknown> = {}) =>
  client.create(configmaps, configMap('x', more), { dryRun: true });

/** Repeats the attempt until its outcome is as expected: configurations come into force a moment after they were written. */
export async function eventually<T>(attempt: () => Promise<T>, isExpected: (outcome: T) => boolean): Promise<T> {
  for (;;) {
    const outcome = await attempt();
    if (isExpected(outcome)) return outcome;
    await setImmediate();
  }
}

/** Repeats the attempt until it is refused, and returns the refusal. */
export const refused = (attempt: () => Promise<unknown>): Promise<string> =>
  eventually(
    () => refusal(attempt()),
    text => text !== 'allowed',
  );

export const v1 = 'admissionregistration.k8s.io/v1';

/** Returns the message of a refusal by the policy with this name. */
export const by = (name: string, text: string): string =>
  `configmaps "x" is forbidden: ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: ${text}`;

/** Creates a policy and a binding of the same name. */
export async function addPolicy(
  client: Client,
  name: string,
  spec: object,
  binding: object = {},
  kind: 'Validating' | 'Mutating' = 'Validating',
): Promise<void> {
  const validates = kind === 'Validating';
  const selectors = { namespaceSelector: {}, objectSelector: {} };
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };
  const whole = {
    matchConstraints: { resourceRules: [rule], ...selectors },
    ...(!validates && { reinvocationPolicy: 'Never' }),
    ...spec,
  };
  const policies = validates ? validatingPolicies : mutatingPolicies;
  const bindings = validates ? validatingBindings : mutatingBindings;
  await client.create(policies, object(v1, `${kind}AdmissionPolicy`, { name }, { spec: whole }));
  const bound = { policyName: name, ...(validates && { validationActions: ['Deny'] }), ...binding };
  await client.create(bindings, object(v1, `${kind}AdmissionPolicyBinding`, { name }, { spec: bound }));
}
