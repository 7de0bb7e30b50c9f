import { limitRangeRules } from './limit-range-rules.js';
import { strategy } from '../../../../registry/strategy/strategy.js';
import type { NativeKind } from '../../native-kind.js';

export const limitRange: NativeKind = {
  group: '',
  kind: 'LimitRange',
  strategy: strategy({
    createOnUpdate: true,
    validateCreate: limitRangeRules,
    validateUpdate: limitRangeRules,
    metadataRepeats: ['whole'],
  }),
};
