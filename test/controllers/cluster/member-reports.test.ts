/** What operators read of members that join. */
import t from 'tap';
import { createControllerContext } from '../../../client/runtime/context.js';
import { resources } from '../../../api/karmada/well-known.js';
import { MemberReports } from '../../../controllers/cluster/member-reports.js';
import { systemClock } from '../../../lib/clock.js';
import { silent } from '../../../server/logger.js';
import { object, setReady } from '../../aggregation/fleet.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

t.test('a member has joined when it is ready for the first time', async t => {
  const server = await runningServer(t, { parts: [karmadaControllers(() => false)] });
  const lines: string[] = [];
  const note = ({ cluster }: { readonly cluster?: string }, text: string): void =>
    void lines.push(`${cluster ?? ''} ${text}`);
  const log = { ...silent, info: note, warn: note };
  const stopping = new AbortController();
  const context = createControllerContext({
    ...{ client: server.client, clock: systemClock, log, signal: stopping.signal },
  });
  t.teardown(() => stopping.abort());
  new MemberReports(context);
  await context.informers.informer(resources.clusters).synced;
  for (const name of ['well', 'late']) {
    const spec = { syncMode: 'Push', apiEndpoint: 'https://m.example.com' };
    await server.client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec }));
  }
  await setReady(server, 'well', 'True');
  await setReady(server, 'late', 'False');
  for (const status of ['True', 'False', 'True'] as const) await setReady(server, 'late', status);
  await until('all lines', () => lines.length >= 6);
  t.strictSame(lines, [
    'well member joined',
    'late member is silent',
    ...['late member is back', 'late member joined'],
    ...['late member is silent', 'late member is back'],
  ]);
});
