/** The counters of a template, and when it has observed its generation. as pkg/resourceinterpreter/default/native aggregatestatus.go */
import t from 'tap';
import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import { workloads } from '../../../../controllers/interpreter/native/aggregate-workloads.js';
import { aggregateJob } from '../../../../controllers/interpreter/native/job-status.js';

const itemsOf = (statuses: readonly (JsonObject | undefined)[]) =>
  statuses.map((status, i) => ({ clusterName: `m${i + 1}`, ...(status && { status }) }));

function template(kind: string, status: JsonObject = {}): KubeObject {
  const [, apiVersion = '', name = ''] = /^(.*)\/([^/]+)$/.exec(kind) ?? [];
  return { apiVersion, kind: name, metadata: { name: 'o', namespace: 'n', generation: 3 }, status };
}

const statusOf = (kind: string, statuses: readonly (JsonObject | undefined)[], before?: JsonObject): JsonObject =>
  workloads[kind]?.(template(kind, before), itemsOf(statuses))['status'] as JsonObject;

t.test('the generation is observed when every cluster has observed it', async t => {
  const current = { generation: 7, observedGeneration: 7, resourceTemplateGeneration: 3 };
  const table: { name: string; given: (JsonObject | undefined)[]; expect: number }[] = [
    { name: 'in both', given: [current, current], expect: 3 },
    { name: 'one has not reported', given: [current, undefined], expect: 2 },
    { name: 'one has the former template', given: [current, { ...current, resourceTemplateGeneration: 2 }], expect: 2 },
    { name: 'a controller is behind', given: [current, { ...current, observedGeneration: 6 }], expect: 2 },
    { name: 'in no cluster at all', given: [], expect: 3 },
  ];
  for (const kind of ['apps/v1/Deployment', 'apps/v1/ReplicaSet', 'apps/v1/DaemonSet'])
    for (const { name, given, expect } of table)
      t.equal(statusOf(kind, given, { observedGeneration: 2 })['observedGeneration'], expect, `${kind} ${name}`);

  const kind = 'apps/v1/StatefulSet';
  // Karmada compares two fields of the same report here.
  const own = { generation: 3, observedGeneration: 3, resourceTemplateGeneration: 3 };
  t.equal(statusOf(kind, [own], { observedGeneration: 2 })['observedGeneration'], 3);
  t.equal(statusOf(kind, [current], { observedGeneration: 2 })['observedGeneration'], 2);
});

t.test('counters are sums; other fields of the status stay', async t => {
  const before = { observedGeneration: 3, readyReplicas: 9, conditions: [{ type: 'Available', status: 'True' }] };
  const status = statusOf(
    'apps/v1/Deployment',
    [{ replicas: 2, readyReplicas: 1 }, { replicas: 3 }, undefined],
    before,
  );
  t.match(status, { replicas: 5, readyReplicas: 1, conditions: [{ type: 'Available' }] });
  t.notOk('updatedReplicas' in status, 'as a typed client writes it');
  const nodes = { desiredNumberScheduled: 2, numberReady: 1 };
  t.match(statusOf('apps/v1/DaemonSet', [nodes, nodes]), {
    ...{ desiredNumberScheduled: 4, numberReady: 2, currentNumberScheduled: 0, numberMisscheduled: 0 },
  });
  const same = template('apps/v1/Deployment', { observedGeneration: 3, replicas: 2 });
  const report = { replicas: 2, generation: 1, observedGeneration: 1, resourceTemplateGeneration: 3 };
  t.equal(workloads['apps/v1/Deployment']?.(same, itemsOf([report])), same, 'nothing has changed');
});

const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-01T09:00:00+09:00'].map(
  (_, i) => `2026-01-0${i + 1}T00:00:00Z`,
);
const condition = (type: string, status = 'True'): JsonObject => ({ type, status });
const complete = { succeeded: 1, startTime: early, completionTime: late, conditions: [condition('Complete')] };

const jobStatus = (statuses: readonly (JsonObject | undefined)[], before: JsonObject = {}): JsonObject =>
  (aggregateJob(template('batch/v1/Job', before), itemsOf(statuses))['status'] ?? {}) as JsonObject;

const typesOf = (status: JsonObject): unknown[] =>
  ((status['conditions'] ?? []) as JsonObject[]).map(({ type }) => type);

t.test('a Job has ended when it has ended in every cluster, and has failed when it has failed in any', async t => {
  const failed = { failed: 1, startTime: early, conditions: [condition('FailureTarget'), condition('Failed')] };
  const met = { ...complete, conditions: [condition('SuccessCriteriaMet'), condition('Complete')] };
  const table: { name: string; given: (JsonObject | undefined)[]; expect: string[] }[] = [
    { name: 'complete in both', given: [complete, complete], expect: ['Complete'] },
    { name: 'the criteria are met in both', given: [met, met], expect: ['Complete', 'SuccessCriteriaMet'] },
    { name: 'the criteria are met in one', given: [met, complete], expect: ['Complete'] },
    { name: 'one still runs', given: [complete, { active: 1 }], expect: [] },
    { name: 'one has not reported', given: [complete, undefined], expect: [] },
    { name: 'a condition that is not True', given: [{ conditions: [condition('Complete', 'False')] }], expect: [] },
    { name: 'failed in one', given: [complete, failed], expect: ['Failed'] },
    { name: 'in no cluster', given: [], expect: [] },
  ];
  for (const { name, given, expect } of table) t.same(typesOf(jobStatus(given)), expect, name);
  t.match(jobStatus([failed, complete, failed])['conditions'], [
    { reason: 'JobFailed', message: 'Job executed failed in member clusters m1,m3', status: 'True' },
  ]);
});

t.test('a Job starts with the first cluster and ends with the last, once all have', async t => {
  const first = { ...complete, startTime: late, completionTime: early, conditions: [] };
  t.match(jobStatus([complete, first]), { startTime: early, completionTime: late, succeeded: 2 });
  const running = jobStatus([complete, { active: 2 }]);
  t.match(running, { active: 2, succeeded: 1 });
  t.notOk('startTime' in running || 'completionTime' in running);
  t.equal(jobStatus([first, { active: 1 }], { startTime: late })['startTime'], late, 'a known start stays');
  t.notOk('ready' in jobStatus([complete], { ready: 1 }), 'other fields do not stay');
});

t.test('the status of a Job that has ended does not change', async t => {
  for (const type of ['Complete', 'Failed']) {
    const object = template('batch/v1/Job', { conditions: [condition(type)], succeeded: 7 });
    t.equal(aggregateJob(object, itemsOf([{ active: 1 }])), object, type);
  }
});
