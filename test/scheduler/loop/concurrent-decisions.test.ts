/** Decisions that are made at the same time count what the others give away (gate SchedulingOvercommitProtection). */
import t from 'tap';
import type { Cluster } from '../../../api/karmada/types.js';
import { decisionOptions } from '../../../cli/parts/decision-options.js';
import { componentContext } from '../../../client/runtime/component.js';
import type { AccurateEstimator, EstimateTable } from '../../../scheduler/interface.js';
import { runScheduler } from '../../../scheduler/loop/scheduler.js';
import type { Part } from '../../../server/parts.js';
import { placedInOneCluster } from '../overcommit.js';

/** Holds every answer until five decisions have asked. */
class Meeting {
  asked = 0;
  #open = (): void => undefined;
  readonly #all = new Promise<void>(resolve => (this.#open = resolve));

  async ask(_: unknown, clusters: readonly Cluster[]): Promise<EstimateTable> {
    if (++this.asked === 5) this.#open();
    await this.#all;
    return new Map(clusters.map(({ metadata }) => [metadata.name ?? '', 1000]));
  }
}

t.test('decisions that wait for estimators at the same time do not overcommit a cluster', async t => {
  const meeting = new Meeting();
  const estimator = {
    maxAvailableReplicas: (request, clusters) => meeting.ask(request, clusters),
  } as Partial<AccurateEstimator> as AccurateEstimator;
  const part: Part = {
    name: 'scheduler',
    start(part) {
      const options = decisionOptions(part.featureGates, {
        enableEmptyWorkloadPropagation: false,
        disabledPlugins: new Set(),
      });
      const running = runScheduler(componentContext(part, 'karmada-scheduler'), {
        ...{ ...options, schedulerName: 'default-scheduler', accurateEstimators: [estimator] },
        protectsFromOvercommit: true,
      });
      return Promise.resolve({ stop: () => running });
    },
  };
  t.equal(await placedInOneCluster(t, true, part), 2);
  t.ok(meeting.asked > 5, 'a decision whose target has become fuller is made again');
});
