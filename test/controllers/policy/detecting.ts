/** The detector with a pipeline in this process, and without other controllers. */
import type { Test } from 'tap';
import type { GroupVersionResource, KubeObject } from '../../../apimachinery/interface.js';
import { bindingName } from '../../../api/karmada/names.js';
import type { Binding, PropagationSpec } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { createControllerContext } from '../../../client/runtime/context.js';
import { find } from '../../../client/find.js';
import type { Client } from '../../../client/interface.js';
import type { Interpreter } from '../../../controllers/interpreter/interface.js';
import { nativeInterpreter } from '../../../controllers/interpreter/native/native.js';
import { type FeatureGates, featureGates } from '../../../kinds/karmada/feature-gates.js';
import { claimedBy } from '../../../controllers/policy/claim.js';
import { startDetector } from '../../../controllers/policy/detector.js';
import { watchTemplates } from '../../../controllers/policy/templates.js';
import type { ResourceDefinition } from '../../../registry/interface.js';
import { systemClock } from '../../../lib/clock.js';
import { silent } from '../../../server/logger.js';
import { serveCustomResources } from '../../kinds/karmada/custom-world.js';
import { configmaps } from '../../registry/serve.js';
import { until } from '../../storage/until.js';

const { resourceBindings } = resources;
const events: GroupVersionResource = { group: '', version: 'v1', resource: 'events' };
const a = { namespace: 'default', name: 'a' };
const placement = { clusterAffinity: { clusterNames: ['m1'] } };
const selector = { apiVersion: 'v1', kind: 'ConfigMap' };

export const policy = (name: string, spec: Partial<PropagationSpec> = {}): KubeObject => ({
  ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy', metadata: { namespace: 'default', name } },
  spec: { resourceSelectors: [selector], placement, ...spec },
});
export const clusterPolicy = (name: string, spec: Partial<PropagationSpec> = {}): KubeObject => ({
  ...policy(name, spec),
  ...{ kind: 'ClusterPropagationPolicy', metadata: { name } },
});

export interface DetectingOptions {
  readonly preemption?: boolean;
  readonly gates?: FeatureGates;
  readonly interpreter?: Interpreter;
  /** The client of the detector is made from that of the pipeline. */
  readonly clientOf?: (client: Client) => Client;
  /** Resources that are served besides Kubernetes' own and Karmada's custom resources. */
  readonly definitions?: readonly ResourceDefinition[];
  /** The number of workers for templates. */
  readonly workers?: number;
}

/** Serves a new store, with mirrors of all templates and without the detector. */
export async function templatesWorld(t: Test, options: DetectingOptions = {}) {
  const { gates = featureGates(), workers = 8 } = options;
  const { clientOf = (client: Client) => client } = options;
  const { client } = await serveCustomResources(t, gates, options.definitions);
  const stopping = new AbortController();
  const context = createControllerContext({
    ...{ client: clientOf(client), clock: systemClock, log: silent, signal: stopping.signal },
    tuning: { workers: { 'resource-detector': workers } },
  });
  t.teardown(async () => {
    stopping.abort();
    await context.finished();
  });
  const templates = await watchTemplates(context, { skippedNamespaces: [/^skipped$/] });
  return { client, context, templates };
}

/** Starts the detector over a new store. */
export async function detecting(t: Test, options: DetectingOptions = {}) {
  const { preemption = false, gates = featureGates(), interpreter = nativeInterpreter } = options;
  const { client, context, templates } = await templatesWorld(t, options);
  await startDetector(context, { templates, interpreter, preemption, gates });
  const bindingOf = (kind: string, { namespace, name }: { namespace: string; name: string }) =>
    find(client, resourceBindings, { namespace, name: bindingName(kind, name) }) as Promise<Binding | undefined>;
  return {
    client,
    context,
    templates,
    bindingOf,
    /** Resolves when the ConfigMap is claimed by the policy of that name; '' for none. */
    claimed: (policy: string, key = a) =>
      until(`${key.name} is claimed by ${policy}`, async () => {
        const template = await client.get(configmaps, key);
        return (claimedBy(template)?.name ?? '') === policy;
      }),
    /** Resolves when there is an Event of this reason. */
    told: (reason: string, text: string) =>
      until(`${reason} is told`, async () => {
        const { items } = await client.list(events);
        return items.some(event => event['reason'] === reason && String(event['message']).includes(text));
      }),
  };
}
