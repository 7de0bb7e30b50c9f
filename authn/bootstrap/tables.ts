/** Reads the generated tables of a fresh server's objects (`npm run generate` makes them). */
import fs from 'node:fs';
import type { JsonObject } from '../../apimachinery/interface.js';
import type { LabelSelector } from '../../apimachinery/selectors/label-selectors.js';

/** A rule: verbs on resources of apiGroups, perhaps with resourceNames; or verbs on nonResourceURLs. */
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
  /** Labels besides the common ones. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly aggregate?: readonly LabelSelector[];
  readonly rules: readonly RuleFact[] | null;
}

export interface BindingFact {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** The role as `ClusterRole/view`. */
  readonly role: string;
  /** Subjects as `User/x`, `Group/x`, `ServiceAccount/namespace/x`. */
  readonly subjects: readonly string[];
}

export interface BootstrapTables {
  readonly clusterRoles: readonly RoleFact[];
  readonly clusterRoleBindings: readonly BindingFact[];
  readonly roles: readonly RoleFact[];
  readonly roleBindings: readonly BindingFact[];
  /** Specs by name. */
  readonly flowSchemas: Readonly<Record<string, JsonObject>>;
  readonly priorityLevels: Readonly<Record<string, JsonObject>>;
  /** Value and description by name. */
  readonly priorityClasses: Readonly<Record<string, JsonObject>>;
}

let tables: BootstrapTables | undefined;

/** Returns the objects of a new server. The file is read, synchronously, at the first call. */
export function bootstrapTables(): BootstrapTables {
  const file = new URL(import.meta.resolve('#dist/authn/bootstrap/data/fresh-server.json'));
  return (tables ??= JSON.parse(fs.readFileSync(file, 'utf8')) as BootstrapTables);
}
