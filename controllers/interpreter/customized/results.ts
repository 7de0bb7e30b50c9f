/** Converts the results of scripts into the types of Karmada, as Go's JSON decoder does: unknown fields are dropped, wrong types are errors. */
import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { canonicalQuantity, quantityError } from '../../../apimachinery/quantity/quantity.js';
import type { LabelSelector } from '../../../apimachinery/selectors/label-selectors.js';
import { labelSelectorFaults } from '../../../apimachinery/selectors/label-faults.js';
import type {
  Component,
  NodeClaim,
  ReplicaRequirements,
  ResourceList,
  Toleration,
} from '../../../api/karmada/types.js';
import { ExpectedError } from '../../../lib/logging/cause.js';
import { yieldToEventLoop } from '../../../lib/time-slice.js';
import type { DependentReference, Replicas } from '../interface.js';
import type { LuaResult, LuaType } from '../lua/interface.js';
import { shortMessage } from '../lua/short-message.js';
import { isMap } from '../native/object.js';

/** Numbers of the types of gopher-lua, which are in Karmada's messages. */
const typeNumbers: Readonly<Record<LuaType, number>> = {
  nil: 0,
  boolean: 1,
  number: 2,
  string: 3,
  function: 4,
  userdata: 5,
  thread: 6,
  table: 7,
};

/** Components of one object. Each one becomes part of the binding. */
const maxComponents = 1_000;

/** Dependencies of one object, of all its scripts together. Each one is a binding of its own. */
export const maxDependencies = 1_000;

const nothing: LuaResult = { type: 'nil' };

/** Returns an error with a message that is short enough for an Event, whatever the script returned. */
const resultError = (message: string): ExpectedError => new ExpectedError(shortMessage(message));

const unmarshalError = (what: string, where: string): ExpectedError =>
  resultError(`json unmarshal obj failed: json: cannot unmarshal ${what} into Go struct field ${where}`);

const jsonType = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  return isMap(value) ? 'object' : typeof value === 'boolean' ? 'bool' : typeof value;
};

/** Reads a field of the type; null and absent are undefined. */
function field<T>(
  map: JsonObject,
  name: string,
  path: string,
  isType: (value: unknown) => value is T,
): { readonly [key: string]: T } {
  const value = map[name];
  if (value === undefined || value === null) return {};
  if (!isType(value)) throw unmarshalError(jsonType(value), `${path}.${name}`);
  return { [name]: value };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isMaps = (value: unknown): value is JsonObject[] => Array.isArray(value) && value.every(isMap);
const isTexts = (value: unknown): value is Record<string, string> => isMap(value) && Object.values(value).every(isText);
const isInteger = (value: unknown): value is number => Number.isInteger(value);
const isInt32 = (value: unknown): value is number => isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31;
const isQuantities = (value: unknown): value is Record<string, string | number> =>
  isMap(value) && Object.values(value).every(item => isText(item) || typeof item === 'number');

function resourceListOf(quantities: Readonly<Record<string, string | number>>): ResourceList {
  return Object.fromEntries(
    Object.entries(quantities).map(([name, quantity]) => {
      const error = quantityError(String(quantity));
      if (error !== undefined) throw resultError(`json unmarshal obj failed: ${error}`);
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
  return {
    ...field(map, 'hardNodeAffinity', 'NodeClaim', isMap),
    ...field(map, 'nodeSelector', 'NodeClaim', isTexts),
    ...(tolerations && { tolerations: tolerations.map(tolerationOf) }),
  };
}

function requirementsOf(map: JsonObject): ReplicaRequirements {
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

/** Returns the map that a script must have returned. */
function mapOf({ type, value }: LuaResult, what: string): JsonObject {
  if (type !== 'table') throw resultError(`expect the returned ${what} type is table but got ${type}`);
  if (!isMap(value)) throw unmarshalError(jsonType(value), what);
  return value;
}

/** as luavm GetReplicas. differs: a number that is no int32 is an error; in Go the result of its conversion depends on the machine. */
export function replicasOf([count = nothing, requires = nothing]: readonly LuaResult[]): Replicas {
  if (typeof count.value !== 'number') throw resultError(`result type ${typeNumbers[count.type]} is not number`);
  const replicas = Math.trunc(count.value);
  if (!isInt32(replicas)) throw resultError(`the number of replicas ${count.value} is out of the range of int32`);
  const requirements = requires.type === 'nil' ? undefined : requirementsOf(mapOf(requires, 'requires'));
  return { replicas, requirements };
}

function componentOf(map: unknown): Component {
  if (!isMap(map)) throw unmarshalError(jsonType(map), 'Component');
  const { name = '' } = field(map, 'name', 'Component', isText);
  const { replicas = 0 } = field(map, 'replicas', 'Component', isInt32);
  const { replicaRequirements } = field(map, 'replicaRequirements', 'Component', isMap);
  return { name, replicas, ...(replicaRequirements && { replicaRequirements: requirementsOf(replicaRequirements) }) };
}

/** Refuses more items than the event loop converts in a short time. differs: upstream takes any number. */
export function refuseMany(items: readonly unknown[], limit: number, what: string): void {
  if (items.length > limit) throw resultError(`there are ${items.length} ${what}, which is more than ${limit}`);
}

/** as luavm GetComponents */
export function componentsOf([result = nothing]: readonly LuaResult[]): Component[] {
  const { type, value } = result;
  if (type === 'nil') return [];
  if (type !== 'table')
    throw resultError(`expected result type 'table' or 'nil' from GetComponents, but got '${type}'`);
  if (!Array.isArray(value)) throw resultError('failed to convert lua table for components: the result is no list');
  refuseMany(value, maxComponents, 'components');
  return value.map(componentOf);
}

/** Returns the object that a script has made of `given`. as luavm ReviseReplica, Retain, AggregateStatus */
export function objectOf([result = nothing]: readonly LuaResult[], given: KubeObject): KubeObject {
  const object = mapOf(result, 'requires');
  for (const name of ['apiVersion', 'kind'])
    if (!isText(object[name]) || object[name] === '')
      throw resultError(
        `json unmarshal obj failed: Object '${name === 'kind' ? 'Kind' : name}' is missing in the returned object`,
      );
  if (isMap(given.metadata) && !isMap(object['metadata']))
    throw resultError("json unmarshal obj failed: the returned object has no 'metadata'");
  return object as KubeObject;
}

/** as luavm ReflectStatus */
export const statusResultOf = ([result = nothing]: readonly LuaResult[]): JsonObject => mapOf(result, 'replica');

/** as luavm InterpretHealth */
export function healthOf([result = nothing]: readonly LuaResult[]): 'Healthy' | 'Unhealthy' {
  if (typeof result.value !== 'boolean') throw resultError(`result type ${typeNumbers[result.type]} is not bool`);
  return result.value ? 'Healthy' : 'Unhealthy';
}

function dependencyOf(map: unknown, i: number): DependentReference {
  if (!isMap(map)) throw unmarshalError(jsonType(map), 'DependentObjectReference');
  const path = 'DependentObjectReference';
  const { apiVersion = '' } = field(map, 'apiVersion', path, isText);
  const { kind = '' } = field(map, 'kind', path, isText);
  const { name = '' } = field(map, 'name', path, isText);
  const { namespace = '' } = field(map, 'namespace', path, isText);
  const { labelSelector } = field(map, 'labelSelector', path, isMap);
  const invalid = (at: string, value: string, detail: string): ExpectedError =>
    resultError(`dependencies[${i}]${at}: Invalid value: ${value}: ${detail}`);
  if (apiVersion === '') throw invalid('.apiVersion', '""', 'missing required apiVersion');
  if (kind === '') throw invalid('.kind', '""', 'missing required kind');
  if (name === '' && !labelSelector)
    throw invalid('', JSON.stringify(map), 'dependency can not leave name and labelSelector all empty');
  const selector = labelSelector as LabelSelector | undefined;
  const [fault] = labelSelectorFaults(selector, `dependencies[${i}].labelSelector`);
  if (fault) throw resultError(`${fault.path}: ${fault.message}`);
  return {
    ...{ apiVersion, kind },
    ...(namespace && { namespace }),
    ...(name && { name }),
    ...(labelSelector && { labelSelector }),
  };
}

/** as luavm GetDependencies, and pkg/util/interpreter/validation VerifyDependencies */
export async function dependenciesOf([result = nothing]: readonly LuaResult[]): Promise<DependentReference[]> {
  const { type, value } = result;
  if (type !== 'table') throw resultError(`expect the returned requires type is table but got ${type}`);
  if (!Array.isArray(value)) throw unmarshalError(jsonType(value), 'DependentObjectReference');
  refuseMany(value, maxDependencies, 'dependencies');
  const dependencies: DependentReference[] = [];
  for (const [i, item] of value.entries()) {
    dependencies.push(dependencyOf(item, i));
    const pause = yieldToEventLoop(); // Selectors may have many labels.
    if (pause) await pause;
  }
  return dependencies;
}
