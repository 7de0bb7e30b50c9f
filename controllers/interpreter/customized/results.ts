/** Converts the results of scripts into the types of Karmada. */
import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import type { Component } from '../../../api/karmada/types.js';
import { componentsIn, dependenciesIn, replicaCount, objectOfAnswer, requirementsOf } from '../answers/decode.js';
import { interpreterError, goTypeName, typeFault, TypeFault } from '../answers/fields.js';
import { isMap } from '../../../lib/json/is-map.js';
import type { ExpectedError } from '../../../lib/logging/cause.js';
import type { Maybe } from '../../../lib/maybe.js';
import type { DependentReference, Replicas } from '../interface.js';
import type { LuaResult, LuaType } from '../lua/interface.js';

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

const nothing: LuaResult = { type: 'nil' };

const unmarshalError = ({ message }: TypeFault): ExpectedError =>
  interpreterError(`json unmarshal obj failed: ${message}`);

/** Returns what `read` returns, and names the step of upstream in the errors of its types. */
async function unmarshalled<T>(read: () => Maybe<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof TypeFault ? unmarshalError(error) : error;
  }
}

/** Returns the map that a script must have returned. */
function mapOf({ type, value }: LuaResult, what: string): JsonObject {
  if (type !== 'table') throw interpreterError(`expect the returned ${what} type is table but got ${type}`);
  if (!isMap(value)) throw unmarshalError(typeFault(goTypeName(value), what));
  return value;
}

/** as luavm GetReplicas */
export async function replicasOf([count = nothing, requires = nothing]: readonly LuaResult[]): Promise<Replicas> {
  if (typeof count.value !== 'number') throw interpreterError(`result type ${typeNumbers[count.type]} is not number`);
  const replicas = replicaCount(count.value);
  if (requires.type === 'nil') return { replicas, requirements: undefined };
  return { replicas, requirements: await unmarshalled(() => requirementsOf(mapOf(requires, 'requires'))) };
}

/** as luavm GetComponents */
export async function componentsOf([result = nothing]: readonly LuaResult[]): Promise<Component[]> {
  const { type, value } = result;
  if (type === 'nil') return [];
  if (type !== 'table')
    throw interpreterError(`expected result type 'table' or 'nil' from GetComponents, but got '${type}'`);
  if (!Array.isArray(value))
    throw interpreterError('failed to convert lua table for components: the result is no list');
  return unmarshalled(() => componentsIn(value));
}

/** Returns the object that a script has made of `given`. as luavm ReviseReplica, Retain, AggregateStatus */
export const objectOf = ([result = nothing]: readonly LuaResult[], given: KubeObject): Promise<KubeObject> =>
  unmarshalled(() => objectOfAnswer(mapOf(result, 'requires'), given));

/** as luavm ReflectStatus */
export const statusResultOf = ([result = nothing]: readonly LuaResult[]): JsonObject => mapOf(result, 'replica');

/** as luavm InterpretHealth */
export function healthOf([result = nothing]: readonly LuaResult[]): 'Healthy' | 'Unhealthy' {
  if (typeof result.value !== 'boolean') throw interpreterError(`result type ${typeNumbers[result.type]} is not bool`);
  return result.value ? 'Healthy' : 'Unhealthy';
}

/** as luavm GetDependencies */
export async function dependenciesOf([result = nothing]: readonly LuaResult[]): Promise<DependentReference[]> {
  const { type, value } = result;
  if (type !== 'table') throw interpreterError(`expect the returned requires type is table but got ${type}`);
  if (!Array.isArray(value)) throw unmarshalError(typeFault(goTypeName(value), 'DependentObjectReference'));
  return unmarshalled(() => dependenciesIn(value));
}
