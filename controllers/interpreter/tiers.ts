import type { GroupVersionKind, KubeObject } from '../../apimachinery/interface.js';
import { gvkOf } from '../../apimachinery/meta/gvk.js';
import type { Interpreter, Operation } from './interface.js';

/**
 * Returns an interpreter in which the first tier that knows the operation of a kind answers, also if it fails.
 * as pkg/resourceinterpreter customResourceInterpreterImpl
 */
export function tieredInterpreter(tiers: readonly Interpreter[]): Interpreter {
  const find = (kind: GroupVersionKind, operation: Operation): Interpreter | undefined =>
    tiers.find(tier => tier.has(kind, operation));
  function tierFor(object: KubeObject, operation: Operation): Interpreter {
    const tier = find(gvkOf(object), operation);
    if (!tier) throw new Error(`no interpreter knows ${operation} of ${object.apiVersion}/${object.kind}`);
    return tier;
  }
  return {
    has: (kind, operation) => find(kind, operation) !== undefined,
    replicas: object => tierFor(object, 'InterpretReplica').replicas(object),
    components: object => tierFor(object, 'InterpretComponent').components(object),
    reviseReplica: (object, replicas) => tierFor(object, 'ReviseReplica').reviseReplica(object, replicas),
    retain: (desired, observed) => tierFor(desired, 'Retain').retain(desired, observed),
    aggregateStatus: (object, items) => tierFor(object, 'AggregateStatus').aggregateStatus(object, items),
    dependencies: object => tierFor(object, 'InterpretDependency').dependencies(object),
    reflectStatus: object => tierFor(object, 'InterpretStatus').reflectStatus(object),
    health: object => tierFor(object, 'InterpretHealth').health(object),
  };
}
