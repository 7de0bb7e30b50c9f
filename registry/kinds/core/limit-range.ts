import type { NativeKind } from '../native-kind.js';

export const limitRange: NativeKind = { group: '', kind: 'LimitRange' };
