import type { Strategy } from '../../interface.js';
import { bumpGenerationWhen, changedExcept, startGeneration } from '../../strategy/generation.js';
import { strategy } from '../../strategy/strategy.js';

export const webhooksStrategy: Strategy = strategy({
  prepareCreate: [startGeneration],
  prepareUpdate: [bumpGenerationWhen(changedExcept())],
  unconditionalUpdate: false,
});
