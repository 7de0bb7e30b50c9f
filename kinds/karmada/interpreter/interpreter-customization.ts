/** Validates ResourceInterpreterCustomizations. as pkg/webhook/resourceinterpretercustomization */
import type { KubeObject } from '../../../apimachinery/interface.js';

/** What can be scripted: fields of `spec.customizations`, in the order in which they are checked -> the operation. */
export const customizationOperations = {
  retention: 'Retain',
  replicaResource: 'InterpretReplica',
  componentResource: 'InterpretComponent',
  replicaRevision: 'ReviseReplica',
  statusReflection: 'InterpretStatus',
  statusAggregation: 'AggregateStatus',
  healthInterpretation: 'InterpretHealth',
  dependencyInterpretation: 'InterpretDependency',
} as const;

export type Customization = keyof typeof customizationOperations;

export interface InterpreterCustomization extends KubeObject {
  spec: {
    target: { apiVersion: string; kind: string };
    customizations: Partial<Record<Customization, { luaScript: string }>>;
  };
}

/** Returns what is wrong with a script; undefined if it compiles. */
export type CompileLua = (script: string) => string | undefined;

const entries = Object.entries(customizationOperations) as [Customization, string][];

/** An operation has one script per kind; only dependencies may come from several. */
function conflict(object: InterpreterCustomization, other: InterpreterCustomization): string | undefined {
  const { target, customizations } = object.spec;
  const otherSpec = other.spec;
  if (otherSpec.target.apiVersion !== target.apiVersion || otherSpec.target.kind !== target.kind) return undefined;
  for (const [field, operation] of entries) {
    if (field === 'dependencyInterpretation') continue;
    if (customizations[field]?.luaScript && otherSpec.customizations[field]?.luaScript)
      return `conflicting with InterpreterOperation(${operation}) of existing ResourceInterpreterCustomization(${other.metadata.name})`;
  }
  return undefined;
}

/** Returns the text of a refusal. `others`: all that exist. */
export function validateInterpreterCustomization(
  object: InterpreterCustomization,
  others: readonly InterpreterCustomization[],
  compileLua: CompileLua,
): string | undefined {
  for (const other of others) {
    const text = other.metadata.name === object.metadata.name ? undefined : conflict(object, other);
    if (text !== undefined) return text;
  }
  for (const [field, operation] of entries) {
    const script = object.spec.customizations[field]?.luaScript;
    const error = script ? compileLua(script) : undefined;
    if (error !== undefined) return `InterpreterOperation(${operation}) Lua script error: ${error}`;
  }
  return undefined;
}
