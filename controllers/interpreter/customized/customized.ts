import type { GroupVersionKind, KubeObject } from '../../../apimachinery/interface.js';
import { apiVersionOf } from '../../../apimachinery/meta/gvk.js';
import { interpretedSubject } from '../calls/subject.js';
import type { DependentReference, Interpreter, Operation } from '../interface.js';
import type { LuaResult, LuaResultForm, LuaRunner } from '../lua/interface.js';
import { maxDependencies } from '../answers/decode.js';
import { refuseMany } from '../answers/fields.js';
import { sortedDependencies } from '../sorted-dependencies.js';
import { componentsOf, dependenciesOf, healthOf, objectOf, replicasOf, statusResultOf } from './results.js';
import { kindKey, type Rules, type Script } from './rules.js';

/** Operation -> the function that its script defines. */
const functionNames: Readonly<Record<Operation, string>> = {
  InterpretReplica: 'GetReplicas',
  InterpretComponent: 'GetComponents',
  ReviseReplica: 'ReviseReplica',
  Retain: 'Retain',
  AggregateStatus: 'AggregateStatus',
  InterpretDependency: 'GetDependencies',
  InterpretStatus: 'ReflectStatus',
  InterpretHealth: 'InterpretHealth',
};

const object: LuaResultForm = { empty: 'object', references: [] };
const list: LuaResultForm = { empty: 'list', references: [] };

/** What the results of the functions become. An object keeps its empty lists and objects where the arguments have some. */
const resultForms: Readonly<Record<Operation, readonly LuaResultForm[]>> = {
  InterpretReplica: [object, object],
  InterpretComponent: [list],
  ReviseReplica: [{ empty: 'object', references: [0] }],
  Retain: [{ empty: 'object', references: [0, 1] }],
  AggregateStatus: [object],
  InterpretDependency: [list],
  InterpretStatus: [object],
  InterpretHealth: [object],
};

/** A run of a script. */
interface Run {
  readonly operation: Operation;
  /** The arguments of the function, of which the first is the object. */
  readonly args: readonly [KubeObject, ...unknown[]];
  /** What the operation interprets beside the object. */
  readonly more: { readonly observed?: KubeObject; readonly replicas?: number };
}

/**
 * Interprets the kinds for which there are ResourceInterpreterCustomizations. `rules` returns the present ones.
 * as pkg/resourceinterpreter/customized/declarative ConfigurableInterpreter
 */
export function customizedInterpreter(runner: LuaRunner, rules: () => Rules): Interpreter {
  const scriptsOf = (apiVersion: string, kind: string, operation: Operation): readonly Script[] =>
    rules().get(kindKey(apiVersion, kind))?.get(operation) ?? [];

  function runScript({ operation, args, more }: Run, { owner, text }: Script): Promise<readonly LuaResult[]> {
    const [object] = args;
    const call = { script: text, name: functionNames[operation], args, results: resultForms[operation] };
    return runner.run(call, owner, interpretedSubject(operation, { object, ...more }));
  }

  /** Runs the script for the first argument, which is the object. */
  async function run(operation: Operation, args: Run['args'], more: Run['more'] = {}): Promise<readonly LuaResult[]> {
    const [{ apiVersion, kind }] = args;
    const [script] = scriptsOf(apiVersion, kind, operation);
    if (!script) throw new Error(`there is no script for ${operation} of ${kindKey(apiVersion, kind)}`);
    return runScript({ operation, args, more }, script);
  }

  return {
    has: (kind: GroupVersionKind, operation) => scriptsOf(apiVersionOf(kind), kind.kind, operation).length > 0,
    replicas: async template => replicasOf(await run('InterpretReplica', [template])),
    components: async template => componentsOf(await run('InterpretComponent', [template])),
    reviseReplica: async (template, replicas) =>
      objectOf(await run('ReviseReplica', [template, replicas], { replicas }), template),
    retain: async (desired, observed) => objectOf(await run('Retain', [desired, observed], { observed }), desired),
    aggregateStatus: async (template, items) => objectOf(await run('AggregateStatus', [template, items]), template),
    async dependencies(template) {
      const found: DependentReference[] = [];
      for (const script of scriptsOf(template.apiVersion, template.kind, 'InterpretDependency')) {
        const results = await runScript({ operation: 'InterpretDependency', args: [template], more: {} }, script);
        found.push(...(await dependenciesOf(results)));
        refuseMany(found, maxDependencies, 'dependencies');
      }
      return sortedDependencies(found);
    },
    reflectStatus: async observed => statusResultOf(await run('InterpretStatus', [observed])),
    health: async observed => healthOf(await run('InterpretHealth', [observed])),
  };
}
