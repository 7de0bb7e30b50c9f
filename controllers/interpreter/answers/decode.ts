/**
 * Reads what scripts and webhooks return into the types of Karmada, as Go's JSON decoder does: unknown fields are dropped, wrong types are errors.
 */
import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { canonicalQuantity, quantityError } from '../../../apimachinery/quantity/quantity.js';
import { labelSelectorFaults } from '../../../apimachinery/selectors/label-faults.js';
import type { LabelSelector } from '../../../apimachinery/selectors/label-selectors.js';
import type {
  Component,
  NodeClaim,
  ReplicaRequirements,
  ResourceList,
  Toleration,
} from '../../../api/karmada/types.js';
import { isMap } from '../../../lib/json/is-map.js';
import { ExpectedError } from '../../../lib/logging/cause.js';
import { yieldToEventLoop } from '../../../lib/time-slice.js';
import type { DependentReference } from '../interface.js';
import { shortMessage } from './short-message.js';

/** Components of one object. Each one becomes part of the binding. */
export const maxComponents = 1_000;

/** Dependencies of one object, of all its scripts together. Each one is a binding of its own. */
export const maxDependencies = 1_000;

/** Resources, node labels or tolerations of one replica, or labels and values of one selector. */
const maxEntries = 1_000;

/** Returns an error with a message that is short enough for an Event, whatever was returned. */
export const answerError = (message: string): ExpectedError => new ExpectedError(shortMessage(message));

/** A value has a type that Go's decoder refuses. */
export class TypeFault extends ExpectedError {
  constructor(message: string) {
    super(shortMessage(message));
  }
}

export const typeFault = (what: string, where: string): TypeFault =>
  new TypeFault(`json: cannot unmarshal ${what} into Go struct field ${where}`);

export const jsonType = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  return isMap(value) ? 'object' : typeof value === 'boolean' ? 'bool' : typeof value;
};

/** Reads a field of the type; null and absent are undefined. Throws TypeFault for another type. */
export function field<T>(
  map: JsonObject,
  name: string,
  path: string,
  isType: (value: unknown) => value is T,
): { readonly [key: string]: T } {
  const value = map[name];
  if (value === undefined || value === null) return {};
  if (!isType(value)) throw typeFault(jsonType(value), `${path}.${name}`);
  return { [name]: value };
}

export const isText = (value: unknown): value is string => typeof value === 'string';
const isMaps = (value: unknown): value is JsonObject[] => Array.isArray(value) && value.every(isMap);
const isTexts = (value: unknown): value is Record<string, string> => isMap(value) && Object.values(value).every(isText);
const isInteger = (value: unknown): value is number => Number.isInteger(value);
export const isInt32 = (value: unknown): value is number => isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31;
const isQuantities = (value: unknown): value is Record<string, string | number> =>
  isMap(value) && Object.values(value).every(item => isText(item) || typeof item === 'number');

/** Refuses more items than the event loop converts in a short time. differs: upstream takes any number. */
export function refuseMany({ length }: { readonly length: number }, limit: number, what: string): void {
  if (length > limit) throw answerError(`there are ${length} ${what}, which is more than ${limit}`);
}

function resourceListOf(quantities: Readonly<Record<string, string | number>>): ResourceList {
  const entries = Object.entries(quantities);
  refuseMany(entries, maxEntries, 'resources in a request');
  return Object.fromEntries(
    entries.map(([name, quantity]) => {
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
  ...field(map, 'tolerationSeconds', 'Toleration', isInteger),
});

function nodeClaimOf(map: JsonObject): NodeClaim {
  const { tolerations } = field(map, 'tolerations', 'NodeClaim', isMaps);
  const { nodeSelector } = field(map, 'nodeSelector', 'NodeClaim', isTexts);
  refuseMany(tolerations ?? [], maxEntries, 'tolerations');
  refuseMany(Object.keys(nodeSelector ?? {}), maxEntries, 'labels in a node selector');
  return {
    ...field(map, 'hardNodeAffinity', 'NodeClaim', isMap),
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations: tolerations.map(tolerationOf) }),
  };
}

/** Returns the number without its fraction. differs: a number that is no int32 is an error; in Go its conversion depends on the machine. */
export function replicaCount(count: number): number {
  const replicas = Math.trunc(count);
  if (!isInt32(replicas)) throw answerError(`the number of replicas ${count} is out of the range of int32`);
  return replicas;
}

/** Returns the requirements of a replica. Throws TypeFault, and ExpectedError for too many entries. */
export function requirementsOf(map: JsonObject): ReplicaRequirements {
  const path = 'ReplicaRequirements';
  const { nodeClaim } = field(map, 'nodeClaim', path, isMap);
  const { resourceRequest } = field(map, 'resourceRequest', path, isQuantities);
  return {
    ...(nodeClaim && { nodeClaim: nodeClaimOf(nodeClaim) }),
    ...(resourceRequest && { resourceRequest: resourceListOf(resourceRequest) }),
    ...field(map, 'namespace', path, isText),
    ...field(map, 'priorityClassName', path, isText),
  };
}

function componentOf(map: unknown): Component {
  if (!isMap(map)) throw typeFault(jsonType(map), 'Component');
  const { name = '' } = field(map, 'name', 'Component', isText);
  const { replicas = 0 } = field(map, 'replicas', 'Component', isInt32);
  const { replicaRequirements } = field(map, 'replicaRequirements', 'Component', isMap);
  return { name, replicas, ...(replicaRequirements && { replicaRequirements: requirementsOf(replicaRequirements) }) };
}

/** Converts the items of a list, and lets sockets and timers run in between. */
async function converted<T>(list: readonly unknown[], convert: (item: unknown, i: number) => T): Promise<T[]> {
  const results: T[] = [];
  for (const [i, item] of list.entries()) {
    results.push(convert(item, i));
    const pause = yieldToEventLoop();
    if (pause) await pause;
  }
  return results;
}

/** Returns the components in a list. Rejects with TypeFault, and with ExpectedError for too many, or too much in one of them. */
export async function componentsIn(list: readonly unknown[]): Promise<Component[]> {
  refuseMany(list, maxComponents, 'components');
  return converted(list, componentOf);
}

/** Refuses a selector with many labels and values in all. */
function refuseLargeSelector({ matchLabels, matchExpressions }: JsonObject, i: number): void {
  const expressions = Array.isArray(matchExpressions) ? matchExpressions.filter(isMap) : [];
  const lengths = expressions.map(({ values }) => 1 + (Array.isArray(values) ? values.length : 0));
  const length = lengths.reduce((sum, next) => sum + next, isMap(matchLabels) ? Object.keys(matchLabels).length : 0);
  refuseMany({ length }, maxEntries, `labels and values in dependencies[${i}].labelSelector`);
}

function dependencyOf(map: unknown, i: number): DependentReference {
  if (!isMap(map)) throw typeFault(jsonType(map), 'DependentObjectReference');
  const path = 'DependentObjectReference';
  const { apiVersion = '' } = field(map, 'apiVersion', path, isText);
  const { kind = '' } = field(map, 'kind', path, isText);
  const { name = '' } = field(map, 'name', path, isText);
  const { namespace = '' } = field(map, 'namespace', path, isText);
  const { labelSelector } = field(map, 'labelSelector', path, isMap);
  const invalid = (at: string, value: string, detail: string): ExpectedError =>
    answerError(`dependencies[${i}]${at}: Invalid value: ${value}: ${detail}`);
  if (apiVersion === '') throw invalid('.apiVersion', '""', 'missing required apiVersion');
  if (kind === '') throw invalid('.kind', '""', 'missing required kind');
  if (name === '' && !labelSelector)
    throw invalid('', JSON.stringify(map), 'dependency can not leave name and labelSelector all empty');
  refuseLargeSelector(labelSelector ?? {}, i);
  const selector = labelSelector as LabelSelector | undefined;
  const [fault] = labelSelectorFaults(selector, `dependencies[${i}].labelSelector`);
  if (fault) throw answerError(`${fault.path}: ${fault.message}`);
  return {
    ...{ apiVersion, kind },
    ...(namespace && { namespace }),
    ...(name && { name }),
    ...(labelSelector && { labelSelector }),
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
export function objectIn(map: JsonObject, given: KubeObject): KubeObject {
  for (const name of ['apiVersion', 'kind'])
    if (!isText(map[name]) || map[name] === '')
      throw new TypeFault(`Object '${name === 'kind' ? 'Kind' : name}' is missing in the returned object`);
  const { metadata } = map;
  if (isMap(given.metadata) && !isMap(metadata)) throw new TypeFault("the returned object has no 'metadata'");
  if (isMap(metadata)) for (const name of ['labels', 'annotations']) field(metadata, name, 'ObjectMeta', isTexts);
  return map as KubeObject;
}
