/** Schedules and rebalancings of thousands of items, which controllers read. */
import { setTimeout } from 'node:timers/promises';
import type { Fixture, HostileRequest, Row } from '../row.js';
import { memberFlags } from './members.js';
import { get, object, post, range, remove } from './objects.js';

const hpas = '/apis/autoscaling.karmada.io/v1alpha1/namespaces/default/cronfederatedhpas';
const events = '/api/v1/namespaces/default/events';
const rebalancers = '/apis/apps.karmada.io/v1alpha1/workloadrebalancers';

/** The watch history has each object with its status. */
const retainedBytes = 32 << 20;

const metadataOnly = { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' };

/** Waits until the answer to a request has a text. */
async function until(fixture: Fixture, request: HostileRequest, text: string): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if ((await fixture.send(request)).text.includes(text)) return;
    await setTimeout(50);
  }
  throw new Error(`${request.path} has not the awaited ${text}`);
}

/** Waits until the managed fields of an object name a field of its status, which its controller has written. */
const hasStatus =
  (field: string) =>
  (fixture: Fixture, path: string): Promise<void> =>
    until(fixture, get(path, metadataOnly), `"f:${field}"`);

interface Reconciled {
  readonly path: string;
  /** Waits until the controller has read the object. */
  readonly isRead: (fixture: Fixture, path: string) => Promise<void>;
  readonly make: (size: number) => object;
}

/** Creates an object, waits for its controller if it is accepted, and deletes it. */
const reconciled = (name: string, size: number, { path, isRead, make }: Reconciled): Row => ({
  name: `autoscaling/${name}`,
  ...{ size, flags: memberFlags, retainedBytes },
  async play(fixture) {
    const own = fixture.name();
    const { metadata, ...rest } = make(fixture.size) as { readonly metadata?: object };
    const created = await fixture.send(post(path, { ...rest, metadata: { ...metadata, name: own } }));
    if (created.status !== 201) return;
    await isRead(fixture, `${path}/${own}`);
    await fixture.must(remove(`${path}/${own}`));
  },
});

const cronHpa = (rules: readonly object[]): object =>
  object('autoscaling.karmada.io/v1alpha1', 'CronFederatedHPA', '', {
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' }, rules },
  });
const hasHistories = hasStatus('executionHistories');

/** Waits until an Event reports that an object is too large with the histories of all rules. In a small size, it has them. */
const isReadOrRefused = (fixture: Fixture, path: string): Promise<void> =>
  fixture.size < 5000
    ? hasHistories(fixture, path)
    : until(
        fixture,
        get(`${events}?fieldSelector=involvedObject.name%3D${path.split('/').at(-1)}`),
        'an object may consist of at most',
      );

/** A CronFederatedHPA with `size` rules. */
const cron = (name: string, size: number, rule: (i: number) => object, isRead = hasHistories): Row =>
  reconciled(`cron-${name}`, size, {
    ...{ path: hpas, isRead },
    make: size => cronHpa(range(size, i => ({ name: `r${i}`, targetReplicas: 1, ...rule(i) }))),
  });

const zones = Intl.supportedValuesOf('timeZone');
const zone = (i: number): string => zones[i % zones.length] ?? '';
const everyMinute = (i: number): object => ({ schedule: `${i % 60} ${i % 24} * * *` });
const workload = (i: number): object => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: `none-${i}` },
});

export const autoscalingRows: readonly Row[] = [
  cron('rules', 4000, everyMinute),
  cron('rules-without-status', 7000, everyMinute, isReadOrRefused),
  cron('never', 4000, () => ({ schedule: '0 0 30 2 *' })),
  cron('zones', 4000, i => ({ schedule: '0 0 29 2 *', timeZone: zone(i) })),
  cron('unknown-zones', 9000, i => ({ schedule: '* * * * *', timeZone: `Zone/${i}` })),
  // Admission accepts the schedule, as Karmada's does, and the parser of the controller does not.
  cron('unparsed', 4000, () => ({ schedule: '0 0 * * 7' })),
  reconciled('cron-list', 2_000_000, {
    ...{ path: hpas, isRead: hasHistories },
    make: size => cronHpa([{ name: 'r', targetReplicas: 1, schedule: `${'1,'.repeat(size / 2)}1 * * * *` }]),
  }),
  reconciled('rebalanced', 3500, {
    ...{ path: rebalancers, isRead: hasStatus('finishTime') },
    make: size =>
      object('apps.karmada.io/v1alpha1', 'WorkloadRebalancer', '', { spec: { workloads: range(size, workload) } }),
  }),
];
