/** Any JSON may be in any place of a custom resource. */
import t from 'tap';
import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import type { Operation } from '../../../../controllers/interpreter/interface.js';
import {
  thirdPartyInterpreter as interpreter,
  thirdPartyKinds,
} from '../../../../controllers/interpreter/third-party/third-party.js';
import { gvkOf } from '../../../../apimachinery/meta/gvk.js';
import { ExpectedError } from '../../../../lib/logging/cause.js';
import { itemsOf, objectOf, observed } from './objects.js';

const podTemplate = {
  metadata: { labels: { a: 'b' } },
  spec: {
    containers: [{ env: [{ valueFrom: { configMapKeyRef: { name: 'c' } } }], resources: { requests: { cpu: '1' } } }],
    volumes: [{ projected: { sources: [{ secret: { name: 's' } }] } }],
    tolerations: [{ operator: 'Exists' }],
  },
};
const secretRef = { name: 's' };

/** Has the fields that the interpreters of most kinds read. */
const sample: JsonObject = {
  spec: {
    ...{ replicas: 1, parallelism: 1, suspend: true, ...podTemplate.spec, serviceAccountName: 'a' },
    template: { ...podTemplate, jobTemplate: { spec: { template: podTemplate } } },
    ...{ secretRef, verify: { secretRef }, kubeConfig: { secretRef }, certSecretRef: secretRef },
    ...{ decryption: { secretRef }, chart: { spec: { verify: { secretRef } } } },
    valuesFrom: [{ kind: 'Secret', name: 's' }],
  },
  status: {
    ...{ ...observed, observedGeneration: 3, replicas: 1, updatedReplicas: 1, availableReplicas: 1, active: [1] },
    ...{ desired: 1, failed: 0, succeeded: 1, matchedPods: 1, ready: true, url: 'u', artifact: {}, failures: 1 },
    ...{ updatedNumberScheduled: 1, desiredNumberScheduled: 1, numberAvailable: 1 },
    rulecount: { validate: 1, generate: 1, mutate: 1, verifyimages: 1 },
    conditions: [{ type: 'Ready', status: 'True', reason: 'Succeeded', message: 'm' }],
  },
};

const role = { replicas: 1, template: { spec: { containers: [{ resources: { requests: { cpu: '1' } } }] } } };
const processes = {
  instances: 1,
  replicas: 1,
  cores: 1,
  memory: '1g',
  serviceAccount: 'a',
  resource: { cpu: 1, memory: '1Gi' },
};
const cluster = { headGroupSpec: role, workerGroupSpecs: [{ groupName: 'g', ...role, numOfHosts: 1 }] };

/** Has the fields that the interpreters of jobs and clusters with components read. */
const jobSample: JsonObject = {
  spec: {
    ...{ jobManager: processes, taskManager: processes, job: { parallelism: 1 }, podTemplate: role.template },
    flinkConfiguration: { 'taskmanager.numberOfTaskSlots': '1' },
    ...{ type: 'Java', driver: processes, executor: { ...processes, gpu: { name: 'g', quantity: 1 } } },
    dynamicAllocation: { enabled: true, minExecutors: 1 },
    ...{ mpiReplicaSpecs: { Launcher: role }, tfReplicaSpecs: { Worker: role }, pytorchReplicaSpecs: { Master: role } },
    ...{ tasks: [{ name: 't', minAvailable: 1, ...role }], submitterPodTemplate: role.template },
    ...{ ...cluster, rayClusterSpec: cluster, rayClusterConfig: cluster, template: role.template },
  },
  status: {
    ...{ jobStatus: 'RUNNING', jobDeploymentStatus: 'Running', lifecycleState: 'STABLE', error: 'e', phase: 'Running' },
    ...{
      state: { phase: 'Running' },
      applicationState: { state: 'RUNNING' },
      replicaStatuses: { Worker: { active: 1 } },
    },
    ...{ readyReplicas: 1, containerState: { running: { startedAt: 't' } }, runningDuration: '1m' },
    ...{ taskStatusCount: { t: { phase: { Running: 1 } } }, controlledResources: { a: 'b' }, desiredCPU: '1' },
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2024-01-01T00:00:00Z', message: 'm' }],
  },
};
const withComponents = /^(?:batch\.volcano\.sh|flink\.apache\.org|kubeflow\.org|ray\.io|sparkoperator\.k8s\.io)\//;
const sampleOf = (kind: string): JsonObject => (withComponents.test(kind) ? jobSample : sample);

/** JSON texts to put into any place. */
const values = ['null', 'true', '1e300', '"x"', '[]', '[null]', '{"__proto__":{"name":"p"}}'];

function* placesIn(value: unknown, place: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    yield [...place, key];
    yield* placesIn(item, [...place, key]);
  }
}

/** Returns a copy with another value at the place. */
function replaced(value: unknown, [key, ...rest]: readonly string[], other: unknown): unknown {
  if (key === undefined) return other;
  const copy: unknown = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as JsonObject) };
  const map = copy as JsonObject;
  map[key] = replaced(map[key], rest, other);
  return copy;
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const item of Object.values(value)) freeze(item);
}

/** Returns the sample with each value in each place. */
function contentsFrom(from: JsonObject): readonly JsonObject[] {
  freeze(from);
  const contents = [...placesIn(from)].flatMap(place =>
    values.map(text => replaced(from, place, JSON.parse(text)) as JsonObject),
  );
  for (const content of contents) freeze(content);
  return contents;
}

const calls: Readonly<Record<Operation, (object: KubeObject) => unknown>> = {
  InterpretReplica: object => interpreter.replicas(object),
  InterpretComponent: object => interpreter.components(object),
  ReviseReplica: object => interpreter.reviseReplica(object, 2),
  Retain: object => [interpreter.retain(object, objectOf('a/B', sample)), interpreter.retain(object, object)],
  AggregateStatus: object =>
    interpreter.aggregateStatus(
      object,
      itemsOf(object['status'] as JsonObject, undefined, {}, sample['status'] as JsonObject),
    ),
  InterpretDependency: object => interpreter.dependencies(object),
  InterpretStatus: object => interpreter.reflectStatus(object),
  InterpretHealth: object => interpreter.health(object),
};
const operations = Object.entries(calls) as [Operation, (object: KubeObject) => unknown][];

t.test('every operation gives a result or an error with a message', async t => {
  const contentsOf = new Map([sample, jobSample].map(content => [content, contentsFrom(content)]));
  const wrong: string[] = [];
  const outcomes = { results: 0, errors: 0 };
  for (const kind of Object.keys(thirdPartyKinds)) {
    for (const [operation, call] of operations.filter(([operation]) =>
      interpreter.has(gvkOf(objectOf(kind)), operation),
    )) {
      for (const content of contentsOf.get(sampleOf(kind)) ?? []) {
        try {
          await call(objectOf(kind, content));
          outcomes.results++;
        } catch (error) {
          outcomes.errors++;
          if (!(error instanceof ExpectedError))
            wrong.push(`${operation} of ${kind}: ${String((error as Error).stack)}`);
        }
      }
    }
  }
  t.strictSame(wrong.slice(0, 10), []);
  t.ok(outcomes.results > 0 && outcomes.errors > 0, JSON.stringify(outcomes));
});

t.test('a status with more names than a job has is refused', t => {
  const replicaStatuses = Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`r${i}`, {}]));
  const object = objectOf('kubeflow.org/v2beta1/MPIJob', { status: { replicaStatuses } });
  t.throws(() => interpreter.reflectStatus(object), {
    message: 'there are 20001 entries of status.replicaStatuses, which is more than 20000',
  });
  t.end();
});

t.test('more dependencies than an object may have are refused', async t => {
  const envFrom = Array.from({ length: 1_001 }, (_, i) => ({ secretRef: { name: `s${i}` } }));
  const template = { spec: { containers: [{ envFrom }] } };
  t.throws(() => interpreter.dependencies(objectOf('apps.kruise.io/v1alpha1/CloneSet', { spec: { template } })), {
    message: 'there are 1001 dependencies, which is more than 1000',
  });
});
