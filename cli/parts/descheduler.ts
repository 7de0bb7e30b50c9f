import { componentContext } from '../../client/runtime/component.js';
import { type DeschedulerOptions, runDescheduler } from '../../scheduler/descheduler/descheduler.js';
import type { Part, PartContext } from '../../server/parts.js';

/** karmada-descheduler. `createEstimator` creates what it asks about members; absent if there is no estimator. */
export const descheduler = (
  settings: Omit<DeschedulerOptions, 'estimator'>,
  createEstimator?: (part: PartContext) => DeschedulerOptions['estimator'],
): Part => ({
  name: 'karmada-descheduler',
  start(part) {
    if (!createEstimator) {
      part.log.warn({}, 'the descheduler does not run: no estimator knows which replicas are unschedulable');
      return Promise.resolve();
    }
    const context = componentContext(part, 'karmada-descheduler');
    const passes = runDescheduler(context, { ...settings, estimator: createEstimator(part) });
    return Promise.resolve({
      async stop() {
        await passes;
        await context.finished();
      },
    });
  },
});
