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

/** Returns the text of a refusal because of another customization. `others`: all that exist. */
export function conflictOfCustomizations(
  object: InterpreterCustomization,
  others: readonly InterpreterCustomization[],
): string | undefined {
  for (const other of others) {
    const text = other.metadata.name === object.metadata.name ? undefined : conflict(object, other);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Returns the text of a refusal because of a script that is not Lua. */
export async function faultOfScripts(
  { spec }: InterpreterCustomization,
  validate: (script: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  for (const [field, operation] of entries) {
    const script = spec.customizations[field]?.luaScript;
    const fault = script ? await validate(script) : undefined;
    if (fault !== undefined) return `InterpreterOperation(${operation}) Lua script error: ${fault}`;
  }
  return undefined;
}
