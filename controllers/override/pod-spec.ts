import { ownValue } from '../../lib/collections/own-value.js';
const template = ['spec', 'template', 'spec'];
const paths: Readonly<Record<string, readonly string[]>> = {
  Pod: ['spec'],
  ReplicaSet: template,
  Deployment: template,
  DaemonSet: template,
  StatefulSet: template,
  Job: template,
};

/** Where kinds that Karmada knows by name keep their pod spec; by kind alone, whatever the group. */
export const podSpecPath = (kind: string): readonly string[] | undefined => ownValue(paths, kind);

/** The value at a path of keys and indexes; undefined where the path leads nowhere. */
export function valueAt(object: unknown, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const part of path) {
    if (value === null || typeof value !== 'object') return undefined;
    value = Array.isArray(value) ? value[Number(part)] : (value as Record<string, unknown>)[part];
  }
  return value;
}
