import type { ControllerContext } from '../../client/runtime/interface.js';
import { componentContext } from '../../client/runtime/component.js';
import { type DeschedulerOptions, runDescheduler } from '../../scheduler/descheduler/descheduler.js';
import type { Part } from '../../server/parts.js';

/** karmada-descheduler. `estimatorOf` returns the estimator to ask, which ends with the context; absent if there is none. */
export const descheduler = (
  settings: Omit<DeschedulerOptions, 'estimator'>,
  estimatorOf?: (context: ControllerContext) => DeschedulerOptions['estimator'],
): Part => ({
  name: 'karmada-descheduler',
  start(part) {
    if (!estimatorOf) {
      part.log.warn({}, 'the descheduler does not run: no estimator knows which replicas are unschedulable');
      return Promise.resolve();
    }
    const context = componentContext(part, 'karmada-descheduler');
    const passes = runDescheduler(context, { ...settings, estimator: estimatorOf(context) });
    return Promise.resolve({
      async stop() {
        await passes;
        await context.finished();
      },
    });
  },
});
