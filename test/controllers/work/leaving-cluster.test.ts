import t from 'tap';
import { startExecutionController } from '../../../controllers/work/execution.js';
import { createMemberWatch } from '../../../controllers/members/member-watch.js';
import { nativeInterpreter } from '../../../controllers/interpreter/native/native.js';
import { componentContext } from '../../../client/runtime/component.js';
import type { ControllerOptions } from '../../../client/runtime/interface.js';
import { resources } from '../../../api/karmada/well-known.js';
import { silent } from '../../../server/logger.js';
import type { Part } from '../../../server/parts.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { recordingQueue } from '../recording-queue.js';

t.test('the removal of a cluster wakes its Works before their backoff is over', async t => {
  let controller: ControllerOptions | undefined;
  const part: Part = {
    name: 'execution',
    start(host) {
      const context = componentContext({ ...host, log: silent }, 'karmada-controller-manager');
      const members = createMemberWatch(() => Promise.reject(new Error('nobody is asked')));
      const run = (options: ControllerOptions): void => void (controller = options);
      startExecutionController({ ...context, run }, { interpreter: nativeInterpreter, members, serves: () => true });
      return Promise.resolve();
    },
  };
  const { client } = await runningServer(t, { parts: [part] });
  const { queue, added: woken } = recordingQueue();
  controller?.wire(queue);
  await Promise.all(controller?.synced ?? []);
  const finalizers = ['example.com/held'];
  await client.create(resources.clusters, {
    ...{ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata: { name: 'gone', finalizers } },
    spec: { syncMode: 'Push', apiEndpoint: 'https://127.0.0.1:1' },
  });
  const namespace = 'karmada-es-gone';
  const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await client.create(resources.works, {
    ...{ apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work', metadata: { name: 'w', namespace, finalizers } },
    spec: { workload: { manifests: [] } },
  });
  await until('the Work is seen', () => woken.length === 1);
  await client.delete(resources.clusters, { name: 'gone' });
  await until('it is woken', () => woken.length === 2);
  t.same(woken, [`${namespace}/w`, `${namespace}/w`]);
});
