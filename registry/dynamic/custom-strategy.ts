/** The rules of custom resources, from the version of their definition that is stored. */
import type { Fault, KubeObject } from '../../openapi/interface.js';
import { invalidValue, typeInvalid } from '../../openapi/meta/faults.js';
import { forbidden } from '../../openapi/meta/status.js';
import type { Prepare, Strategy, Validate } from '../interface.js';
import { customWithStatus, customWithoutStatus } from '../strategy/kinds.js';
import { keepAllButStatus, keepMetadata, statusPart } from '../strategy/parts.js';
import { strategy } from '../strategy/strategy.js';
import type { Spec, Subresources, Version } from './crd.js';
import { schemaRule, statusRule } from './custom-rules.js';

/** `version`: the one that is stored. `isTerminating`: is the definition being deleted, at the time of a request? */
export function customStrategy(spec: Spec, version: Version, isTerminating: () => boolean): Strategy {
  const rules = version.subresources?.status ? customWithStatus : customWithoutStatus;
  return strategy(rules, {
    plainFinalizers: 'warn',
    prepareCreate: [refuseNew(spec, isTerminating), ...rules.prepareCreate],
    validateCreate: [schemaRule(spec, version), ...scaleRules(version)],
    validateUpdate: [schemaRule(spec, version), ...scaleRules(version)],
  });
}

/** `/status`: nothing else is taken from what is sent, not even metadata (OBJ-016). */
export function customStatusPart(spec: Spec, version: Version): ReturnType<typeof statusPart> {
  return statusPart({
    prepareUpdate: [keepMetadata, keepAllButStatus],
    validateUpdate: [statusRule(spec, version), ...scaleRules(version)],
    resetFields: ['spec', 'metadata'],
  });
}

/** CRD-060. */
function refuseNew({ group, names }: Spec, isTerminating: () => boolean): Prepare {
  return draft => {
    if (!isTerminating()) return;
    const text = 'create not allowed while custom resource definition is terminating';
    throw forbidden({ group, resource: names.plural }, draft.metadata.name ?? '', text);
  };
}

function scaleRules({ subresources }: Version): Validate[] {
  return subresources?.scale ? [scaleRule(subresources.scale)] : [];
}

const maxInt32 = 2 ** 31 - 1;

/** What the scale subresource would show must be a number of replicas, or absent. */
// as apiextensions-apiserver/pkg/registry/customresource ValidateScaleSpec, ValidateScaleStatus
function scaleRule(scale: NonNullable<Subresources['scale']>): Validate {
  return object => [
    ...replicasFaults(object, scale.specReplicasPath),
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
