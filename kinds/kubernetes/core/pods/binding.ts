import type { NativeKind } from '../../native-kind.js';
import { bindPod } from './pod-binding.js';

/** The older way to bind: the pod is the one that the binding is named after. */
export const binding: NativeKind = {
  group: '',
  kind: 'Binding',
  review: (call, object) => bindPod(call, object.metadata.name ?? '', object),
};
