/** What operators read of members that join. */
import t, { type Test } from 'tap';
import { createControllerContext } from '../../../client/runtime/context.js';
import { resources } from '../../../api/karmada/well-known.js';
import { MemberReports } from '../../../controllers/cluster/member-reports.js';
import { silent } from '../../../server/logger.js';
import { object, setReady } from '../../aggregation/fleet.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { runningServer } from '../../apiserver/running.js';
import { steppedClock } from '../../lib/clock.js';
import { until } from '../../storage/until.js';

interface Line {
  readonly text: string;
  readonly cluster?: string;
  readonly cause?: string;
  readonly since?: string;
  readonly silentSeconds?: number;
}

/** Starts the reports of a server whose controllers do not run, and creates its clusters. */
async function startReports(t: Test, names: readonly string[]) {
  const server = await runningServer(t, { parts: [karmadaControllers(() => false)] });
  const lines: Line[] = [];
  const note = (fields: object, text: string): void => void lines.push({ ...fields, text });
  const log = { ...silent, info: note, warn: note };
  const stopping = new AbortController();
  const clock = steppedClock(Date.parse('2026-01-01T00:00:00Z'));
  const context = createControllerContext({ ...{ client: server.client, clock, log, signal: stopping.signal } });
  t.teardown(() => stopping.abort());
  const reports = new MemberReports(context);
  await context.informers.informer(resources.clusters).synced;
  for (const name of names) {
    const spec = { syncMode: 'Push', apiEndpoint: 'https://m.example.com' };
    await server.client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec }));
  }
  return { server, lines, clock, reports };
}

t.test('a member has joined when it is ready for the first time', async t => {
  const { server, lines } = await startReports(t, ['well', 'late']);
  await setReady(server, 'well', 'True');
  await setReady(server, 'late', 'False');
  for (const status of ['True', 'False', 'True'] as const) await setReady(server, 'late', status);
  await until('all lines', () => lines.length >= 6);
  t.strictSame(
    lines.map(({ cluster, text }) => `${cluster} ${text}`),
    [
      'well member joined',
      'late member is silent',
      ...['late member is back', 'late member joined'],
      ...['late member is silent', 'late member is back'],
    ],
  );
});

t.test('an outage begins with its own first failure', async t => {
  const { server, lines, clock, reports } = await startReports(t, ['m']);
  await setReady(server, 'm', 'True');
  await until('it has joined', () => lines.length === 1);

  reports.failed('m', 'too short to be reported');
  reports.worked('m');
  clock.advance(3_600_000);
  reports.failed('m', 'first');
  clock.advance(30_000);
  reports.failed('m', 'last');
  await setReady(server, 'm', 'False');
  await until('it is silent', () => lines.length === 2);
  t.match(lines[1], { text: 'member is silent', since: '2026-01-01T01:00:00Z', cause: 'last' });

  // An answer that is followed by a failure does not end the outage that was reported.
  reports.worked('m');
  clock.advance(10_000);
  reports.failed('m', 'again');
  clock.advance(20_000);
  reports.worked('m');
  clock.advance(30_000);
  reports.worked('m');
  await setReady(server, 'm', 'True');
  await until('it is back', () => lines.length === 3);
  t.match(lines[2], { text: 'member is back', silentSeconds: 60 });
});
