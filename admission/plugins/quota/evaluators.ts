/** The evaluator of each kind. Most kinds are only counted. */
import { quantityOf } from '../../../apimachinery/quantity/quantity.js';
import type { ResourceDefinition } from '../../../registry/interface.js';
import type { Service } from '../../../api/kubernetes/core.js';
import { deviceClaims, volumeClaims } from './claims.js';
import { type Evaluator, objectCountName, onChange, onCreate } from './evaluator.js';
import { podEvaluator } from './pods.js';

const one = quantityOf(1);
const serviceCount = objectCountName('', 'services');
const serviceNames: ReadonlySet<string> = new Set([
  serviceCount,
  'services',
  'services.nodeports',
  'services.loadbalancers',
]);

// as pkg/quota/v1/evaluator/core services
const services: Evaluator = {
  handles: onChange,
  counts: name => serviceNames.has(name),
  usage(object) {
    const { type, ports = [], allocateLoadBalancerNodePorts } = (object as Service).spec ?? {};
    const balanced = type === 'LoadBalancer';
    const chosen =
      balanced && allocateLoadBalancerNodePorts === false ? ports.filter(({ nodePort = 0 }) => nodePort !== 0) : ports;
    return new Map([
      [serviceCount, one],
      ['services', one],
      ['services.loadbalancers', quantityOf(balanced ? 1 : 0)],
      ['services.nodeports', quantityOf(balanced || type === 'NodePort' ? chosen.length : 0)],
    ]);
  },
};

function objectCount(...names: readonly string[]): Evaluator {
  const usage = new Map(names.map(name => [name, one]));
  return { handles: onCreate, counts: name => usage.has(name), usage: () => usage };
}

/** Evaluators by `plural.group`. */
const evaluators: ReadonlyMap<string, Evaluator> = new Map([
  ['pods', podEvaluator],
  ['services', services],
  ['persistentvolumeclaims', volumeClaims],
  ['resourceclaims.resource.k8s.io', deviceClaims],
  ...['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'].map(
    name => [name, objectCount(objectCountName('', name), name)] as const,
  ),
]);

// as pkg/quota/v1/install DefaultIgnoredResources
const ignored: ReadonlySet<string> = new Set([
  'bindings',
  'events',
  'events.events.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
]);

const known = new WeakMap<ResourceDefinition, Evaluator>();

/** hot: returns the evaluator of a kind; undefined if quotas do not apply to it. */
export function evaluatorOf(definition: ResourceDefinition): Evaluator | undefined {
  if (!definition.namespaced) return undefined;
  const found = known.get(definition);
  if (found) return found;
  const { group, plural } = definition;
  const name = group === '' ? plural : `${plural}.${group}`;
  if (ignored.has(name)) return undefined;
  const evaluator = evaluators.get(name) ?? objectCount(objectCountName(group, plural));
  known.set(definition, evaluator);
  return evaluator;
}
