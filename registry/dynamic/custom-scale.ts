/** Validates the fields of a custom resource that the scale subresource shows. */
import type { Fault, KubeObject } from '../../apimachinery/interface.js';
import { invalidValue } from '../../apimachinery/errors/faults.js';
import { goFloat } from '../../lib/go/go-float.js';
import { isInt64 } from '../../lib/json/json.js';
import { goType, goValue } from '../../apimachinery/patch/go-value.js';
import type { Floats } from '../../apimachinery/codec/floats.js';
import type { Subresources } from './crd.js';

const maxInt32 = 2 ** 31 - 1;

type Scale = Subresources['scale'];

/**
 * Returns the faults of the number of replicas in the spec, if the definition has a scale subresource.
 * as apiextensions-apiserver/pkg/registry/customresource ValidateScaleSpec
 */
export function scaleSpecFaults(object: KubeObject, scale: Scale, floats: Floats = []): Fault[] {
  return scale ? replicasFaults(object, scale.specReplicasPath, floats) : [];
}

/**
 * Returns the faults of the number of replicas and of the selector in the status.
 * as apiextensions-apiserver/pkg/registry/customresource ValidateScaleStatus
 */
export function scaleStatusFaults(object: KubeObject, scale: Scale, floats: Floats = []): Fault[] {
  if (!scale) return [];
  return [
    ...replicasFaults(object, scale.statusReplicasPath, floats),
    ...(scale.labelSelectorPath ? selectorFaults(object, scale.labelSelectorPath) : []),
  ];
}

/** Returns the value at a path, undefined if it is absent, or an error if the path leads through a value that is not an object. */
// as apimachinery/pkg/apis/meta/v1/unstructured NestedFieldNoCopy
function find(object: KubeObject, path: string): { readonly value: unknown } | { readonly error: string } {
  let value: unknown = object;
  const fields = path.replace(/^\./, '').split('.');
  for (const [i, field] of fields.entries()) {
    if (value == null) return { value: undefined };
    if (typeof value !== 'object' || Array.isArray(value))
      return { error: accessorError(`.${fields.slice(0, i + 1).join('.')}`, value, 'map[string]interface{}') };
    if (!Object.hasOwn(value, field)) return { value: undefined };
    value = (value as Record<string, unknown>)[field];
  }
  return { value };
}

const accessorError = (path: string, value: unknown, expected: string): string =>
  wrongType(path, goValue(value), goType(value), expected);

const wrongType = (path: string, value: string, type: string, expected: string): string =>
  `${path} accessor error: ${value} is of the type ${type}, expected ${expected}`;

function replicasFaults(object: KubeObject, path: string, floats: Floats): Fault[] {
  const found = find(object, path);
  if ('error' in found) return [invalidValue(path, 0, found.error)];
  const { value: replicas } = found;
  if (replicas === undefined) return [];
  if (floats.some(at => `.${at.join('.')}` === path))
    return [invalidValue(path, 0, wrongType(path, goFloat(Number(replicas)), 'float64', 'int64'))];
  if (!isInt64(replicas)) return [invalidValue(path, 0, accessorError(path, replicas, 'int64'))];
  if (replicas < 0) return [invalidValue(path, replicas, 'should be a non-negative integer')];
  return replicas > maxInt32 ? [invalidValue(path, replicas, `should be less than or equal to ${maxInt32}`)] : [];
}

function selectorFaults(object: KubeObject, path: string): Fault[] {
  const found = find(object, path);
  if ('error' in found) return [invalidValue(path, '', found.error)];
  const { value: selector } = found;
  if (selector === undefined || typeof selector === 'string') return [];
  return [invalidValue(path, '', accessorError(path, selector, 'string'))];
}
