/** What the scale subresource would show of a custom resource must be a number of replicas, or absent. */
import type { Fault, KubeObject } from '../../openapi/interface.js';
import { invalidValue, typeInvalid } from '../../openapi/meta/faults.js';
import type { Subresources } from './crd.js';

const maxInt32 = 2 ** 31 - 1;

type Scale = Subresources['scale'];

// as apiextensions-apiserver/pkg/registry/customresource ValidateScaleSpec
export function scaleSpecFaults(object: KubeObject, scale: Scale): Fault[] {
  return scale ? replicasFaults(object, scale.specReplicasPath) : [];
}

// as apiextensions-apiserver/pkg/registry/customresource ValidateScaleStatus
export function scaleStatusFaults(object: KubeObject, scale: Scale): Fault[] {
  if (!scale) return [];
  return [
    ...replicasFaults(object, scale.statusReplicasPath),
    ...(scale.labelSelectorPath ? selectorFaults(object, scale.labelSelectorPath) : []),
  ];
}

function valueAt(object: KubeObject, path: string): unknown {
  let value: unknown = object;
  for (const field of path.replace(/^\./, '').split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined;
    value = (value as Record<string, unknown>)[field];
  }
  return value;
}

function replicasFaults(object: KubeObject, path: string): Fault[] {
  const replicas = valueAt(object, path);
  if (replicas === undefined) return [];
  if (typeof replicas !== 'number' || !Number.isInteger(replicas)) {
    const text = `${path} accessor error: ${String(replicas)} is of the type ${goType(replicas)}, expected int64`;
    return [invalidValue(path, 0, text)];
  }
  if (replicas < 0) return [invalidValue(path, replicas, 'should be a non-negative integer')];
  return replicas > maxInt32 ? [invalidValue(path, replicas, `should be less than or equal to ${maxInt32}`)] : [];
}

function selectorFaults(object: KubeObject, path: string): Fault[] {
  const selector = valueAt(object, path);
  if (selector === undefined || typeof selector === 'string') return [];
  return [
    typeInvalid(
      path,
      '',
      `${path} accessor error: ${String(selector)} is of the type ${goType(selector)}, expected string`,
    ),
  ];
}

function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
