import { strategy } from '../../strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';

export const limitRange: NativeKind = { group: '', kind: 'LimitRange', strategy: strategy({ createOnUpdate: true }) };
