import type { Strategy } from '../../../registry/interface.js';
import { bumpGenerationWhen, changedExcept, startGeneration } from '../../../registry/strategy/generation.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import { staticNameWarnings, validateWebhooks } from './webhook-rules.js';

export const webhooksStrategy: Strategy = strategy({
  prepareCreate: [startGeneration],
  prepareUpdate: [bumpGenerationWhen(changedExcept())],
  validateLong: validateWebhooks,
  warnings: [staticNameWarnings],
  unconditionalUpdate: false,
  metadataRepeats: ['whole'],
  plainFinalizers: 'allow',
});
