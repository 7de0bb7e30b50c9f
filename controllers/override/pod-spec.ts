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

/** Returns the path of the pod spec of a kind that Karmada knows, whatever its group; undefined for other kinds. */
export const podSpecPath = (kind: string): readonly string[] | undefined => ownValue(paths, kind);

/** Returns the value at a path of keys and indexes; undefined if the path does not exist. */
export function valueAt(object: unknown, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const part of path) {
    if (value === null || typeof value !== 'object') return undefined;
    value = Array.isArray(value) ? value[Number(part)] : (value as Record<string, unknown>)[part];
  }
  return value;
}
