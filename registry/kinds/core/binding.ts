import type { NativeKind } from '../native-kind.js';

export const binding: NativeKind = { group: '', kind: 'Binding' };
