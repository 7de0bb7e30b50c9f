import type { GroupVersionKind, KubeObject } from '../../../apimachinery/interface.js';
import { apiVersionOf } from '../../../apimachinery/meta/gvk.js';
import type { Interpreter, Operation } from '../interface.js';
import { aggregateStatus } from './aggregate.js';
import { dependencies } from './dependencies.js';
import { isHealthy } from './health.js';
import { reflectAny, reflectStatus } from './reflect.js';
import { replicas, reviseReplica } from './replicas.js';
import { retain } from './retain.js';

/** Returns the key of the tables, such as `apps/v1/Deployment`. */
const keyOf = ({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): string => `${apiVersion}/${kind}`;

const tables: Partial<Record<Operation, Readonly<Record<string, unknown>>>> = {
  InterpretReplica: replicas,
  ReviseReplica: reviseReplica,
  Retain: retain,
  AggregateStatus: aggregateStatus,
  InterpretDependency: dependencies,
  InterpretHealth: isHealthy,
};

/** Keys of the kinds that the tables know. */
export const interpretedKinds: readonly string[] = [
  ...new Set([...Object.values(tables), reflectStatus].flatMap(table => Object.keys(table))),
];

function row<T>(table: Readonly<Record<string, T>>, object: KubeObject): T {
  const key = keyOf(object);
  const found = Object.hasOwn(table, key) ? table[key] : undefined;
  if (!found) throw new Error(`the native interpreter does not know ${key}`);
  return found;
}

/**
 * Interprets the kinds that Karmada supports natively. InterpretStatus is supported for every kind.
 * as pkg/resourceinterpreter/default/native DefaultInterpreter
 */
export const nativeInterpreter: Interpreter = {
  has(kind: GroupVersionKind, operation: Operation): boolean {
    if (operation === 'InterpretStatus') return true;
    const table = tables[operation];
    return table !== undefined && Object.hasOwn(table, keyOf({ apiVersion: apiVersionOf(kind), kind: kind.kind }));
  },
  replicas: object => row(replicas, object)(object),
  components: object => {
    throw new Error(`the native interpreter knows no components of ${keyOf(object)}`);
  },
  reviseReplica: (object, count) => row(reviseReplica, object)(object, count),
  retain: (desired, observed) => row(retain, desired)(desired, observed),
  aggregateStatus: (object, items) => row(aggregateStatus, object)(object, items),
  dependencies: object => row(dependencies, object)(object),
  reflectStatus: object =>
    (Object.hasOwn(reflectStatus, keyOf(object)) ? row(reflectStatus, object) : reflectAny)(object),
  health: object => (row(isHealthy, object)(object) ? 'Healthy' : 'Unhealthy'),
};
