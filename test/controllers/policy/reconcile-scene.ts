/** The reconcilers of templates and policies over a store, called by the test and not by a queue. */
import type { Test } from 'tap';
import type { GroupVersionResource, KubeObject } from '../../../apimachinery/interface.js';
import { bindingName } from '../../../api/karmada/names.js';
import type { Binding, Policy } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { find } from '../../../client/find.js';
import type { ObjectKey } from '../../../client/interface.js';
import { keyOf, objectKey } from '../../../client/key.js';
import { claimedBy } from '../../../controllers/policy/claim.js';
import { detectorDeps } from '../../../controllers/policy/detector.js';
import type { DetectorDeps } from '../../../controllers/policy/interface.js';
import { reconcileTemplate } from '../../../controllers/policy/reconcile-template.js';
import { templateKey, type TemplateKey } from '../../../controllers/policy/templates.js';
import { nativeInterpreter } from '../../../controllers/interpreter/native/native.js';
import { featureGates } from '../../../kinds/karmada/feature-gates.js';
import { configmaps } from '../../registry/serve.js';
import { until } from '../../storage/until.js';
import { type DetectingOptions, templatesWorld } from './detecting.js';

/** Returns the key of a ConfigMap of the namespace `default` among the templates of all kinds. */
export const configMapKey = (name: string): TemplateKey =>
  templateKey({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name });

/** Returns the key of the binding of a ConfigMap of the namespace `default`. */
const bindingKey = (name: string) => ({ namespace: 'default', name: bindingName('ConfigMap', name) });

export async function reconcileScene(t: Test, options: DetectingOptions = {}) {
  const { preemption = false, gates = featureGates(), interpreter = nativeInterpreter } = options;
  const { client, context, templates } = await templatesWorld(t, options);
  /** The templates that were woken, and whether their policy is lazy. */
  const woken: [template: TemplateKey, isLazy: boolean][] = [];
  /** The recorded Events, as `reason kind key: message`. */
  const events: string[] = [];
  const deps: DetectorDeps = {
    ...(await detectorDeps(context, { templates, interpreter, preemption, gates }, (...wake) => void woken.push(wake))),
    recorder: {
      event: (about, _type, reason, message) => void events.push(`${reason} ${about.kind} ${keyOf(about)}: ${message}`),
    },
  };
  /** Resolves when the mirror of a resource shows an object as it is. */
  const shown = (resource: GroupVersionResource, key: ObjectKey): Promise<void> =>
    until(`the mirror shows ${resource.resource} ${key.name}`, async () => {
      const live = await find(client, resource, key);
      const mirrored = context.informers.informer(resource).get(keyOf({ metadata: key } as KubeObject));
      return mirrored?.metadata.resourceVersion === live?.metadata.resourceVersion;
    });
  const put = async (resource: GroupVersionResource, object: KubeObject): Promise<KubeObject> => {
    const created = await client.create(resource, object);
    await shown(resource, objectKey(created));
    return created;
  };
  return {
    ...{ client, deps, woken, events, shown, put },
    putPolicy: (object: KubeObject) =>
      put(
        object.kind === 'PropagationPolicy' ? resources.propagationPolicies : resources.clusterPropagationPolicies,
        object,
      ) as Promise<Policy>,
    /** Reconciles a ConfigMap. */
    reconcile: async (name: string, byPolicy = false): Promise<void> => {
      await reconcileTemplate(configMapKey(name), byPolicy, deps);
      await shown(configmaps, { namespace: 'default', name });
      await shown(resources.resourceBindings, bindingKey(name));
    },
    /** Returns the name of the policy that has claimed a ConfigMap. */
    claimOn: async (name: string) => claimedBy(await client.get(configmaps, { namespace: 'default', name }))?.name,
    /** Returns the binding of a ConfigMap. */
    bindingOf: (name: string) =>
      find(client, resources.resourceBindings, bindingKey(name)) as Promise<Binding | undefined>,
  };
}
