import { withStatusOnly } from '../../strategy/kinds.js';
import { strategy } from '../../strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { hpaPrinter } from './hpa-printer.js';

export const horizontalPodAutoscaler: NativeKind = {
  group: 'autoscaling',
  kind: 'HorizontalPodAutoscaler',
  printer: hpaPrinter,
  strategy: strategy(withStatusOnly),
};
