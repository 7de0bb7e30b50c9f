import { componentContext } from '../../client/runtime/component.js';
import { type DeschedulerOptions, runDescheduler } from '../../scheduler/descheduler/descheduler.js';
import type { Part } from '../../server/parts.js';
import type { EstimatorUse } from './member-estimators.js';

/** karmada-descheduler. `estimators`: what it asks about members; absent if there is no estimator. */
export const descheduler = (
  settings: Omit<DeschedulerOptions, 'estimator'>,
  estimators?: { use(): EstimatorUse<DeschedulerOptions['estimator']> },
): Part => ({
  name: 'karmada-descheduler',
  start(part) {
    if (!estimators) {
      part.log.warn({}, 'the descheduler does not run: no estimator knows which replicas are unschedulable');
      return Promise.resolve();
    }
    const context = componentContext(part, 'karmada-descheduler');
    const { estimator, end } = estimators.use();
    const passes = runDescheduler(context, { ...settings, estimator });
    return Promise.resolve({
      async stop() {
        await passes;
        await context.finished();
        end();
      },
    });
  },
});
