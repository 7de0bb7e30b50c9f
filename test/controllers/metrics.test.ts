/** The metrics of Karmada's dashboards are reported for real operations. */
import t from 'tap';
import { resources } from '../../api/karmada/well-known.js';
import { until } from '../storage/until.js';
import { comesAbout, controlPlane } from './control-plane.js';

const configMaps = { group: '', version: 'v1', resource: 'configmaps' };

t.test('the propagation of an object is counted in the metrics', async t => {
  const { client, metrics, ...rest } = await controlPlane(t);
  const server = { client, metrics, ...rest };
  await comesAbout(server, resources.clusters, { name: 'member1' }, cluster =>
    JSON.stringify(cluster['status'] ?? {}).includes('nodeSummary'),
  );
  await client.create(configMaps, {
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: { name: 'told', namespace: 'default' },
  });
  await client.create(resources.propagationPolicies, {
    ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy' },
    metadata: { name: 'told', namespace: 'default' },
    spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'told' }] },
  });
  const counted = async (): Promise<ReadonlyMap<string, number>> => {
    const lines = (await metrics.metrics()).split('\n').filter(line => line !== '' && !line.startsWith('#'));
    return new Map(
      lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
    );
  };
  const about = 'apiversion="v1",kind="ConfigMap",member_cluster="member1"';
  const created = `create_resource_to_cluster{result="success",${about},recreate="false"}`;
  await until('the object is in the member', async () => (await counted()).get(created) === 1);
  await client.delete(configMaps, { namespace: 'default', name: 'told' });
  const deleted = `delete_resource_from_cluster{result="success",${about}}`;
  await until('and is gone again', async () => (await counted()).get(deleted) === 1);
  const now = await counted();
  const exactly = {
    'cluster_ready_state{member_cluster="member1"}': 1,
    'cluster_node_number{member_cluster="member1"}': 3,
    'cluster_ready_node_number{member_cluster="member1"}': 3,
    'cluster_cpu_allocatable_number{member_cluster="member1"}': 192,
    'cluster_memory_allocatable_bytes{member_cluster="member1"}': 3 * 256 * 2 ** 30,
    'cluster_pod_allocatable_number{member_cluster="member1"}': 3000,
    'scheduler_pending_bindings{queue="active"}': 0,
    'scheduler_pending_bindings{queue="backoff"}': 0,
    'scheduler_pending_bindings{queue="unschedulable"}': 0,
  };
  for (const [name, value] of Object.entries(exactly)) t.equal(now.get(name), value, name);
  const some = [
    'cluster_sync_status_duration_seconds_count{member_cluster="member1"}',
    'resource_match_policy_duration_seconds_count',
    'resource_apply_policy_duration_seconds_count{result="success"}',
    'policy_apply_attempts_total{result="success"}',
    'binding_sync_work_duration_seconds_count{result="success"}',
    'work_sync_workload_duration_seconds_bucket{result="success",le="+Inf"}',
    'karmada_scheduler_schedule_attempts_total{result="scheduled",schedule_type="ReconcileSchedule"}',
    'karmada_scheduler_e2e_scheduling_duration_seconds_count{result="scheduled",schedule_type="ReconcileSchedule"}',
    'karmada_scheduler_scheduling_algorithm_duration_seconds_count{schedule_step="AssignReplicas"}',
    'karmada_scheduler_queue_incoming_bindings_total{event="BindingAdd"}',
    'karmada_scheduler_framework_extension_point_duration_seconds_count{extension_point="Filter",result="Success"}',
    'karmada_scheduler_framework_extension_point_duration_seconds_count{extension_point="Score",result="Success"}',
    'karmada_scheduler_plugin_execution_duration_seconds_count{plugin="APIEnablement",extension_point="Filter",result="Success"}',
    'karmada_scheduler_plugin_execution_duration_seconds_count{plugin="ClusterLocality",extension_point="Score",result="Success"}',
    'controller_runtime_reconcile_total{controller="binding-controller",result="success"}',
    'controller_runtime_reconcile_time_seconds_count{controller="execution-controller"}',
    'workqueue_adds_total{name="execution-controller"}',
  ];
  for (const name of some) t.ok((now.get(name) ?? 0) > 0, name);
  const requests = [...now.keys()].filter(name => /^rest_client_requests_total\{code="201",method="POST"/.test(name));
  t.equal(requests.length, 1, 'requests to members are counted');
  t.match(requests[0], /host="127\.0\.0\.1:\d+"/);

  await client.delete(resources.clusters, { name: 'member1' });
  await until('nothing is told of a cluster that is gone', async () =>
    [...(await counted()).keys()].every(name => !/^cluster_.*member1/.test(name)),
  );
});
