import type { NativeKind } from '../../native-kind.js';
import { bindPod } from './pod-binding.js';

/** The older way to bind: the pod has the name of the binding. */
export const binding: NativeKind = {
  group: '',
  kind: 'Binding',
  review: (call, object) => bindPod(call, object.metadata.name ?? '', object),
};
