/** The generated tables of a fresh server's objects, and how they are read (`npm run generate` makes them). */
import fs from 'node:fs';
import type { JsonObject } from '../../apimachinery/interface.js';
import type { LabelSelector } from '../../apimachinery/selectors/label-selectors.js';

/** Verbs first, then apiGroups, resources and resourceNames; or nonResourceURLs. */
export interface RuleFact {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface RoleFact {
  readonly name: string;
  readonly namespace?: string;
  /** Besides those that all have. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly aggregate?: readonly LabelSelector[];
  readonly rules: readonly RuleFact[] | null;
}

export interface BindingFact {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** `ClusterRole/view`. */
  readonly role: string;
  /** `User/x`, `Group/x`, `ServiceAccount/namespace/x`. */
  readonly subjects: readonly string[];
}

export interface BootstrapTables {
  readonly clusterRoles: readonly RoleFact[];
  readonly clusterRoleBindings: readonly BindingFact[];
  readonly roles: readonly RoleFact[];
  readonly roleBindings: readonly BindingFact[];
  /** Name -> spec. */
  readonly flowSchemas: Readonly<Record<string, JsonObject>>;
  readonly priorityLevels: Readonly<Record<string, JsonObject>>;
  /** Name -> value and description. */
  readonly priorityClasses: Readonly<Record<string, JsonObject>>;
}

let tables: BootstrapTables | undefined;

export function bootstrapTables(): BootstrapTables {
  const file = new URL(import.meta.resolve('#dist/authn/bootstrap/data/fresh-server.json'));
  return (tables ??= JSON.parse(fs.readFileSync(file, 'utf8')) as BootstrapTables);
}
