import { fillAutoscaler } from './hpa-defaults.js';
import { convertAutoscaler } from './hpa-convert.js';
import { statusPart } from '../../../registry/strategy/parts.js';
import { autoscalerRules, autoscalerStatusRules } from './hpa-rules.js';
import { withStatusOnly } from '../../../registry/strategy/kinds.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { hpaPrinter } from './hpa-printer.js';

export const horizontalPodAutoscaler: NativeKind = {
  group: 'autoscaling',
  kind: 'HorizontalPodAutoscaler',
  printer: hpaPrinter,
  defaults: (draft, version) => fillAutoscaler(draft, version),
  convert: convertAutoscaler,
  strategy: strategy(withStatusOnly, { validateCreate: autoscalerRules, validateUpdate: autoscalerRules }),
  subresources: { status: statusPart({ validateUpdate: autoscalerStatusRules }) },
};
