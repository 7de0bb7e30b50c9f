import type { KubeObject } from '../../../apimachinery/interface.js';
import { apiVersionOf } from '../../../apimachinery/meta/gvk.js';
import type { Interpreter, Operation } from '../interface.js';
import { sortedDependencies } from '../sorted-dependencies.js';
import { maxDependencies } from '../answers/decode.js';
import { refuseMany } from '../answers/fields.js';
import { argo } from './argo/workflow.js';
import { flink } from './flink/flink-deployment.js';
import { flux } from './flux/flux.js';
import type { KindInterpreter, KindTable } from './kind.js';
import { kruise } from './kruise/kruise.js';
import { kubeflow } from './kubeflow/kubeflow.js';
import { kyverno } from './kyverno/kyverno.js';
import { ray } from './ray/ray.js';
import { spark } from './spark/spark-application.js';
import { volcano } from './volcano/job.js';

const functions: Readonly<Record<Operation, keyof KindInterpreter>> = {
  InterpretReplica: 'replicas',
  InterpretComponent: 'components',
  ReviseReplica: 'reviseReplica',
  Retain: 'retain',
  AggregateStatus: 'aggregateStatus',
  InterpretDependency: 'dependencies',
  InterpretStatus: 'reflectStatus',
  InterpretHealth: 'health',
};

/**
 * Returns an interpreter of the kinds in the table. `now`: milliseconds since 1970, for the times of conditions.
 * as pkg/resourceinterpreter/default/thirdparty ConfigurableInterpreter
 */
export function tableInterpreter(kinds: KindTable, now: () => number = Date.now): Interpreter {
  const find = (apiVersion: string, kind: string): KindInterpreter | undefined => {
    const key = `${apiVersion}/${kind}`;
    return Object.hasOwn(kinds, key) ? kinds[key] : undefined;
  };
  /** Returns the function of the object's kind; throws if the kind or its function is not in the table. */
  function functionOf<K extends keyof KindInterpreter>(
    { apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>,
    name: K,
  ): NonNullable<KindInterpreter[K]> {
    const found = find(apiVersion, kind)?.[name];
    if (!found) throw new Error(`no third-party interpreter knows ${name} of ${apiVersion}/${kind}`);
    return found;
  }
  return {
    has: (kind, operation) => find(apiVersionOf(kind), kind.kind)?.[functions[operation]] !== undefined,
    replicas: object => functionOf(object, 'replicas')(object),
    components: object => functionOf(object, 'components')(object),
    reviseReplica: (object, replicas) => functionOf(object, 'reviseReplica')(object, replicas),
    retain: (desired, observed) => functionOf(desired, 'retain')(desired, observed),
    aggregateStatus: (object, items) => functionOf(object, 'aggregateStatus')(object, items, now),
    dependencies: object => {
      const found = functionOf(object, 'dependencies')(object);
      refuseMany(found, maxDependencies, 'dependencies');
      return sortedDependencies(found);
    },
    reflectStatus: object => functionOf(object, 'reflectStatus')(object),
    health: object => functionOf(object, 'health')(object),
  };
}

/** The third-party kinds that Karmada supports without configuration. */
export const thirdPartyKinds: KindTable = {
  ...argo,
  ...flink,
  ...flux,
  ...kruise,
  ...kubeflow,
  ...kyverno,
  ...ray,
  ...spark,
  ...volcano,
};

export const thirdPartyInterpreter: Interpreter = tableInterpreter(thirdPartyKinds);
