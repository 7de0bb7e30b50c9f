/**
 * Reads what scripts and webhooks return into the types of Karmada, as Go's JSON decoder does: unknown fields are dropped, wrong types are errors.
 */
import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { canonicalQuantity, quantityError } from '../../../apimachinery/quantity/quantity.js';
import { labelSelectorFaults } from '../../../apimachinery/selectors/label-faults.js';
import type {
  Component,
  NodeClaim,
  ReplicaRequirements,
  ResourceList,
  Toleration,
} from '../../../api/karmada/types.js';
import { isMap } from '../../../lib/json/is-map.js';
import { type Int64, isInt64, isNumeric, jsonText } from '../../../lib/json/json.js';
import type { ExpectedError } from '../../../lib/logging/cause.js';
import type { DependentReference } from '../interface.js';
import {
  interpreterError,
  field,
  isInt32,
  isMaps,
  isText,
  isTexts,
  goTypeName,
  maxEntries,
  refuseMany,
  smallMap,
  TypeFault,
  typeFault,
} from './fields.js';
import { converted } from './converted.js';
import { labelSelectorOf, nodeSelectorOf } from './selectors.js';

/** Components of one object. Each one becomes part of the binding. */
export const maxComponents = 1_000;

/** Dependencies of one object, of all its scripts together. Each one is a binding of its own. */
export const maxDependencies = 1_000;

const isQuantities = (value: unknown): value is Record<string, string | Int64> =>
  isMap(value) && Object.values(value).every(item => isText(item) || isNumeric(item));
/** Integers that a number does not hold exactly are bigints, as in all objects. */
const isSeconds = (value: unknown): value is number => isInt64(value);

function resourceListOf(quantities: Readonly<Record<string, string | Int64>>): ResourceList {
  return Object.fromEntries(
    Object.entries(quantities).map(([name, quantity]) => {
      const error = quantityError(String(quantity));
      if (error !== undefined) throw new TypeFault(error);
      return [name, canonicalQuantity(String(quantity))];
    }),
  );
}

const tolerationOf = (map: JsonObject): Toleration => ({
  ...field(map, 'key', 'Toleration', isText),
  ...field(map, 'operator', 'Toleration', isText),
  ...field(map, 'value', 'Toleration', isText),
  ...field(map, 'effect', 'Toleration', isText),
  ...field(map, 'tolerationSeconds', 'Toleration', isSeconds),
});

function nodeClaimOf(map: JsonObject): NodeClaim {
  const { tolerations } = field(map, 'tolerations', 'NodeClaim', isMaps);
  smallMap(map, 'nodeSelector', 'NodeClaim', 'labels in a node selector');
  const { nodeSelector } = field(map, 'nodeSelector', 'NodeClaim', isTexts);
  const { hardNodeAffinity } = field(map, 'hardNodeAffinity', 'NodeClaim', isMap);
  refuseMany(tolerations ?? [], maxEntries, 'tolerations');
  return {
    ...(hardNodeAffinity && { hardNodeAffinity: nodeSelectorOf(hardNodeAffinity) }),
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations: tolerations.map(tolerationOf) }),
  };
}

/** Returns the number without its fraction. differs: a number that is no int32 is an error; in Go its conversion depends on the machine. */
export function replicaCount(count: number): number {
  const replicas = Math.trunc(count);
  if (!isInt32(replicas)) throw interpreterError(`the number of replicas ${count} is out of the range of int32`);
  return replicas;
}

/** Returns the requirements of a replica. Throws TypeFault, and ExpectedError for too many entries. */
export function requirementsOf(map: JsonObject): ReplicaRequirements {
  const path = 'ReplicaRequirements';
  const { nodeClaim } = field(map, 'nodeClaim', path, isMap);
  smallMap(map, 'resourceRequest', path, 'resources in a request');
  const { resourceRequest } = field(map, 'resourceRequest', path, isQuantities);
  return {
    ...(nodeClaim && { nodeClaim: nodeClaimOf(nodeClaim) }),
    ...(resourceRequest && { resourceRequest: resourceListOf(resourceRequest) }),
    ...field(map, 'namespace', path, isText),
    ...field(map, 'priorityClassName', path, isText),
  };
}

function componentOf(map: unknown): Component {
  if (!isMap(map)) throw typeFault(goTypeName(map), 'Component');
  const { name = '' } = field(map, 'name', 'Component', isText);
  const { replicas = 0 } = field(map, 'replicas', 'Component', isInt32);
  const { replicaRequirements } = field(map, 'replicaRequirements', 'Component', isMap);
  return { name, replicas, ...(replicaRequirements && { replicaRequirements: requirementsOf(replicaRequirements) }) };
}

/**
 * Returns the components in a list, of which `valueOf` makes the values. Rejects with TypeFault, and with ExpectedError for too many, or too much in one
 * of them.
 */
export async function componentsIn<T>(
  list: readonly T[],
  valueOf: (item: T, i: number) => unknown = item => item,
): Promise<Component[]> {
  refuseMany(list, maxComponents, 'components');
  return converted(list, (item, i) => componentOf(valueOf(item, i)));
}

function dependencyOf(map: unknown, i: number): DependentReference {
  if (!isMap(map)) throw typeFault(goTypeName(map), 'DependentObjectReference');
  const path = 'DependentObjectReference';
  const { apiVersion = '' } = field(map, 'apiVersion', path, isText);
  const { kind = '' } = field(map, 'kind', path, isText);
  const { name = '' } = field(map, 'name', path, isText);
  const { namespace = '' } = field(map, 'namespace', path, isText);
  const { labelSelector } = field(map, 'labelSelector', path, isMap);
  const invalid = (at: string, value: string, detail: string): ExpectedError =>
    interpreterError(`dependencies[${i}]${at}: Invalid value: ${value}: ${detail}`);
  if (apiVersion === '') throw invalid('.apiVersion', '""', 'missing required apiVersion');
  if (kind === '') throw invalid('.kind', '""', 'missing required kind');
  if (name === '' && !labelSelector)
    throw invalid('', jsonText(map), 'dependency can not leave name and labelSelector all empty');
  const selector = labelSelector && labelSelectorOf(labelSelector, `dependencies[${i}].labelSelector`);
  const [fault] = labelSelectorFaults(selector, `dependencies[${i}].labelSelector`);
  if (fault) throw interpreterError(`${fault.path}: ${fault.message}`);
  return {
    ...{ apiVersion, kind },
    ...(namespace && { namespace }),
    ...(name && { name }),
    ...(selector && { labelSelector: selector }),
  };
}

/**
 * Returns the dependencies in a list. Rejects with TypeFault, and with ExpectedError for invalid ones or too many.
 * as pkg/util/interpreter/validation VerifyDependencies
 */
export async function dependenciesIn(list: readonly unknown[]): Promise<DependentReference[]> {
  refuseMany(list, maxDependencies, 'dependencies');
  return converted(list, dependencyOf);
}

/** Returns a map as the object that was made of `given`. Throws TypeFault if it is no object of the API. */
export function objectOfAnswer(map: JsonObject, given: KubeObject): KubeObject {
  for (const name of ['apiVersion', 'kind'])
    if (!isText(map[name]) || map[name] === '')
      throw new TypeFault(`Object '${name === 'kind' ? 'Kind' : name}' is missing in the returned object`);
  const { metadata } = map;
  if (isMap(given.metadata) && !isMap(metadata)) throw new TypeFault("the returned object has no 'metadata'");
  if (isMap(metadata)) for (const name of ['labels', 'annotations']) field(metadata, name, 'ObjectMeta', isTexts);
  return map as KubeObject;
}
