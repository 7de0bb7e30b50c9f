import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import {
  type Customization,
  customizationOperations,
} from '../../../kinds/karmada/interpreter/interpreter-customization.js';
import { isMap } from '../../../lib/json/is-map.js';
import { mapAt, textAt } from '../native/object.js';
import type { Operation } from '../interface.js';

/** A script of a ResourceInterpreterCustomization. */
export interface Script {
  /** The name of the customization. */
  readonly owner: string;
  readonly text: string;
}

/** The scripts of one kind by operation. There are several only for InterpretDependency. */
type KindRules = ReadonlyMap<Operation, readonly Script[]>;

/** The scripts of all kinds, by `apiVersion/kind`. */
export type Rules = ReadonlyMap<string, KindRules>;

/** The types of both agree: each operation that can be scripted is one of the interpreter. */
const operations: Readonly<Record<Customization, Operation>> = customizationOperations;

/** Returns the key of the rules of a kind. */
export const kindKey = (apiVersion: string, kind: string): string => `${apiVersion}/${kind}`;

function addScripts(rules: Map<Operation, Script[]>, owner: string, customizations: JsonObject): void {
  for (const [field, operation] of Object.entries(operations)) {
    const text = isMap(customizations[field]) ? textAt(customizations[field], 'luaScript') : undefined;
    if (!text) continue;
    const known = rules.get(operation);
    if (!known) rules.set(operation, [{ owner, text }]);
    else if (operation === 'InterpretDependency') known.push({ owner, text });
  }
}

/**
 * Merges customizations. Of several scripts for one operation of a kind, that of the customization with the first name counts; those for
 * dependencies all count. as pkg/resourceinterpreter/customized/declarative/configmanager LoadConfig
 */
export function mergeRules(customizations: readonly KubeObject[]): Rules {
  const merged = new Map<string, Map<Operation, Script[]>>();
  const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? '';
  for (const object of [...customizations].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
    const key = kindKey(
      textAt(object, 'spec', 'target', 'apiVersion') ?? '',
      textAt(object, 'spec', 'target', 'kind') ?? '',
    );
    const rules = merged.get(key) ?? new Map<Operation, Script[]>();
    addScripts(rules, nameOf(object), mapAt(object, 'spec', 'customizations') ?? {});
    if (rules.size > 0) merged.set(key, rules);
  }
  return merged;
}
