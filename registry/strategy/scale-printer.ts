import type { KubeObject } from '../../apimachinery/interface.js';
import { humanDuration } from '../../lib/go/duration.js';
import type { Printer } from '../interface.js';

const replicasOf = (part: unknown): number => (part as { replicas?: number } | undefined)?.replicas ?? 0;

/** Printer for `kubectl get KIND NAME --subresource=scale` of built-in kinds. */
// as pkg/printers/internalversion printScale
export const scalePrinter: Printer = {
  columns: [
    { name: 'Name', type: 'string' },
    { name: 'Desired', type: 'integer' },
    { name: 'Available', type: 'integer' },
    { name: 'Age', type: 'string' },
  ],
  row: ({ metadata, spec, status }: KubeObject, now) => {
    const { name = '', creationTimestamp: time } = metadata;
    const age = time ? humanDuration(now.getTime() - Date.parse(time)) : '<unknown>';
    return [name, replicasOf(spec), replicasOf(status), age];
  },
};
