import type { Strategy } from '../../interface.js';
import { bumpGenerationWhen, changedExcept, startGeneration } from '../../strategy/generation.js';
import { strategy } from '../../strategy/strategy.js';

import { staticNameWarnings, webhooksRules } from './webhook-rules.js';

export const webhooksStrategy: Strategy = strategy({
  prepareCreate: [startGeneration],
  prepareUpdate: [bumpGenerationWhen(changedExcept())],
  validateCreate: webhooksRules,
  validateUpdate: webhooksRules,
  warnings: [staticNameWarnings],
  unconditionalUpdate: false,
  metadataRepeats: ['whole'],
  plainFinalizers: 'allow',
});
