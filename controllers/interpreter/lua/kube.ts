/** The `kube` library of scripts. as Karmada pkg/resourceinterpreter/customized/declarative/luavm KubeLoader */
import type { JsonObject } from '../../../apimachinery/interface.js';
import {
  addQuantities,
  parseQuantity,
  type Quantity,
  quantityError,
  quantityFloat,
  quantityText,
  zeroQuantity,
} from '../../../apimachinery/quantity/quantity.js';
import { podDependencies } from '../native/dependencies.js';
import { isMap } from '../../../lib/json/is-map.js';
import { mapAt } from '../native/object.js';
import { replicaRequirements } from '../native/requirements.js';
import {
  type HostFunction,
  type LuaEngine,
  luaNil,
  luaNumber,
  luaString,
  luaTable,
  type Pointer,
} from '../../../lib/lua/engine.js';
import type { ResultLimits } from './interface.js';
import { pushJson } from './push.js';
import { luaTypeAt, ResultReader } from './read.js';

/** Limits of a pod template that a script may pass. */
const templateLimits: ResultLimits = { resultLength: 2 * 1024 * 1024, resultValues: 20_000 };

function typeError(engine: LuaEngine, L: Pointer, argument: number, expected: string, name: string): never {
  const given = argument > engine.api.lua_gettop(L) ? 'nil' : luaTypeAt(engine, L, argument);
  return engine.raise(L, `bad argument #${argument} to ${name} (${expected} expected, got ${given})`);
}

function quantityAt(engine: LuaEngine, L: Pointer, argument: number, name: string): Quantity {
  const type = engine.api.lua_type(L, argument);
  if (type === luaNil) return zeroQuantity;
  if (type !== luaString) return typeError(engine, L, argument, 'string', name);
  const text = engine.textAt(L, argument);
  // JSON allows white space around a quantity, MustParse does not.
  const error = quantityError(text === text.trim() ? text : '');
  return error === undefined ? parseQuantity(text) : engine.raise(L, `cannot parse '${text}': ${error}`);
}

/** Returns the pod template that a script passes as an argument. */
function templateAt(engine: LuaEngine, L: Pointer, argument: number, name: string): JsonObject {
  if (engine.api.lua_type(L, argument) !== luaTable) return typeError(engine, L, argument, 'table', name);
  engine.api.lua_pushvalue(L, argument);
  const template: unknown = JSON.parse(new ResultReader(engine, templateLimits).read(L, '{}'));
  engine.api.lua_settop(L, -2);
  if (isMap(template)) return template;
  return engine.raise(L, 'fail to convert lua value to PodTemplateSpec: a list is no object');
}

/** Returns the functions of the library by name. */
export function kubeLibrary(engine: LuaEngine): Readonly<Record<string, HostFunction>> {
  const { api } = engine;
  return {
    resourceAdd(L) {
      let sum = zeroQuantity;
      const count = api.lua_gettop(L);
      for (let i = 1; i <= count; i++) {
        const quantity = quantityAt(engine, L, i, 'resourceAdd');
        // The sum has the format of the first quantity that is not zero.
        sum = sum === zeroQuantity ? quantity : addQuantities(sum, quantity);
      }
      engine.pushText(L, quantityText(sum));
      return 1;
    },
    accuratePodRequirements(L) {
      if (api.lua_gettop(L) !== 1) engine.raise(L, 'getPodRequirements only accepts one argument');
      const template = templateAt(engine, L, 1, 'accuratePodRequirements');
      pushJson(engine, L, replicaRequirements(mapAt(template, 'spec') ?? {}) ?? null);
      return 1;
    },
    getPodDependencies(L) {
      if (api.lua_gettop(L) !== 2) engine.raise(L, 'getPodDependencies only accepts two argument');
      const template = templateAt(engine, L, 1, 'getPodDependencies');
      const type = api.lua_type(L, 2);
      if (type !== luaNil && type !== luaString && type !== luaNumber)
        typeError(engine, L, 2, 'string', 'getPodDependencies');
      const namespace = type === luaNil ? 'default' : engine.textAt(L, 2);
      const dependencies = podDependencies(mapAt(template, 'spec') ?? {}, namespace);
      // Without dependencies the result is nil, as Karmada's is.
      pushJson(engine, L, dependencies.length > 0 ? dependencies : null);
      return 1;
    },
    getResourceQuantity(L) {
      if (api.lua_gettop(L) !== 1) engine.raise(L, 'getResourceQuantity only accepts one argument');
      const value = quantityFloat(quantityAt(engine, L, 1, 'getResourceQuantity'));
      if (value < 0) engine.raise(L, 'int approximation unexpectedly returned a negative value');
      if (!Number.isFinite(value)) engine.raise(L, 'int approximation unexpectedly returned an infinite value');
      api.lua_pushnumber(L, value);
      return 1;
    },
  };
}
