/** What the status of a cluster says about its APIs. as pkg/controllers/status ClusterStatusController.setCurrentClusterStatus */
import t from 'tap';
import type { MappedResource } from '../../../client/interface.js';
import { collectedApis } from '../../../controllers/cluster/api-enablements.js';

const resource = (group: string, version: string, name: string, kind: string): MappedResource => ({
  ...{ group, version, resource: name, kind },
  ...{ namespaced: true, verbs: [], subresources: [] },
});

const found = [
  resource('apps', 'v1', 'statefulsets', 'StatefulSet'),
  resource('', 'v1', 'pods', 'Pod'),
  resource('apps', 'v1', 'deployments', 'Deployment'),
];
const listed = [
  {
    groupVersion: 'apps/v1',
    resources: [
      { name: 'deployments', kind: 'Deployment' },
      { name: 'statefulsets', kind: 'StatefulSet' },
    ],
  },
  { groupVersion: 'v1', resources: [{ name: 'pods', kind: 'Pod' }] },
];
const jobs = { groupVersion: 'batch/v1', resources: [{ name: 'jobs', kind: 'Job' }] };
const gone = { groupVersion: 'example.com/v1', resources: [{ name: 'foos', kind: 'Foo' }] };

t.test('the list of APIs follows the discovery of the cluster, and the condition says how complete it is', async t => {
  const discovery = { resources: found, failed: [] };
  t.same(collectedApis(discovery, [gone]), {
    enablements: listed,
    condition: {
      ...{ type: 'CompleteAPIEnablements', status: 'True', reason: 'Complete' },
      message: 'collected complete APIEnablements from the cluster',
    },
  });
  t.equal(collectedApis(discovery, []).enablements, collectedApis(discovery, []).enablements, 'is made once');

  const partial = collectedApis({ resources: found, failed: ['batch/v1', 'new.io/v1'] }, [jobs, gone]);
  t.same(partial.enablements, [listed[0], jobs, listed[1]], 'a group that cannot be read stays as it was');
  t.match(partial.condition, {
    ...{ status: 'False', reason: 'Partial' },
    message: 'might collect partial APIEnablements(2) from the cluster',
  });
  t.same(collectedApis({ resources: found, failed: ['batch/v1'] }, undefined).enablements, listed);

  const empty = { status: 'False', reason: 'Empty', message: 'collected empty APIEnablements from the cluster' };
  const failed = collectedApis(undefined, [jobs]);
  t.equal(failed.enablements, undefined, 'the known list stays');
  t.match(failed.condition, empty);
  t.match(collectedApis({ resources: [], failed: ['v1'] }, [jobs]), { enablements: [], condition: empty });
});
