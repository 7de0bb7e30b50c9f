/**
 * The roles and bindings of a server, indexed by subject, and updated change by change.
 *
 *     scope ('' or a namespace) -> subject (user or group) -> name -> binding -> role reference -> rules
 *
 * A request costs one look-up per scope and group of the user, whatever the number of bindings.
 */
import { rbacGroup } from '../../kinds/kubernetes/rbac/rules.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { qualified } from '../../apimachinery/errors/status.js';
import { goQuote } from '../../lib/go/go-text.js';
import type { InSteps } from '../../lib/time-slice.js';
import type { CachedObject } from '../../client/interface.js';
import type { Identity } from '../../apimachinery/identity.js';
import type * as rbac from '../../api/kubernetes/rbac.js';

type PolicyRule = rbac.PolicyRule;

interface RbacSubject {
  readonly kind: string;
  readonly name: string;
  /** '' when it is the binding's namespace, or when there is none. */
  readonly namespace: string;
}

interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

export interface RbacBinding {
  readonly name: string;
  /** '' for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly RbacSubject[];
}

/** The RBAC resources that make up the policy. */
export type PolicyResource = 'clusterroles' | 'clusterrolebindings' | 'roles' | 'rolebindings';

/** Called with what applies to a user: a rule with its binding, or a missing role. Returns whether to continue. */
type Visitor = (
  found: { readonly binding: RbacBinding; readonly rule: PolicyRule } | { readonly error: string },
) => boolean;

const userKey = (name: string): string => `u/${name}`;
const groupKey = (name: string): string => `g/${name}`;

/** Returns the key of the user or group that a subject of a binding in `namespace` names; undefined for other kinds of subjects. */
function subjectKey(subject: RbacSubject, namespace: string): string | undefined {
  switch (subject.kind) {
    case 'User':
      return userKey(subject.name);
    case 'Group':
      return groupKey(subject.name);
    case 'ServiceAccount': {
      const home = subject.namespace || namespace;
      return home === '' ? undefined : userKey(`system:serviceaccount:${home}:${subject.name}`);
    }
    default:
      return undefined;
  }
}

/** Returns the first subject of a binding that matches this user. Both may have tens of thousands of groups. */
export function matchingSubject({ subjects, namespace }: RbacBinding, user: Identity): RbacSubject | undefined {
  const ownKey = userKey(user.name);
  // hot: most bindings have few subjects, for which no set is made.
  const groups = subjects.length > 1 ? new Set(user.groups) : undefined;
  return subjects.find(subject => {
    if (subject.kind === 'Group') return groups?.has(subject.name) ?? user.groups.includes(subject.name);
    return subjectKey(subject, namespace) === ownKey;
  });
}

const rulesOf = (role: KubeObject): readonly PolicyRule[] =>
  (role['rules'] as readonly PolicyRule[] | null | undefined) ?? [];

const subject = ({ kind = '', name = '', namespace = '' }: rbac.Subject): RbacSubject => ({ kind, name, namespace });
/** Returns the reference to a role without the API group, which is always that of RBAC. */
export const roleRef = ({ kind = '', name = '' }: rbac.RoleRef = {}): RoleRef => ({ kind, name });

function bindingOf(object: KubeObject): RbacBinding {
  const binding = object as rbac.RoleBinding;
  return {
    name: object.metadata.name ?? '',
    namespace: object.metadata.namespace ?? '',
    roleRef: roleRef(binding.roleRef),
    subjects: ((binding.subjects as rbac.Subject[] | null | undefined) ?? []).map(subject),
  };
}

/** An object that may not be parsed yet. */
type Held = Pick<CachedObject, 'object'>;

/** A store of roles, or of bindings by subject, that is updated one object at a time. */
interface PolicyStore {
  put(key: string, held: Held): void;
  remove(key: string): void;
}

/** The rules of roles, parsed on first use: most of a fresh server's roles are never used, and parsing all of them would slow down the start. */
class RoleStore implements PolicyStore {
  readonly #unread = new Map<string, Held>();
  readonly #read = new Map<string, readonly PolicyRule[]>();

  put(key: string, held: Held): void {
    this.#unread.set(key, held);
    this.#read.delete(key);
  }

  remove(key: string): void {
    this.#unread.delete(key);
    this.#read.delete(key);
  }

  isParsed(key: string): boolean {
    return !this.#unread.has(key);
  }

  rulesOf(key: string): readonly PolicyRule[] | undefined {
    const held = this.#unread.get(key);
    if (!held) return this.#read.get(key);
    const rules = rulesOf(held.object);
    this.#read.set(key, rules);
    this.#unread.delete(key);
    return rules;
  }
}

/** Values of rules that are visited in one step, which takes less than a millisecond. */
const valuesPerStep = 8192;

const valuesOf = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number =>
  (verbs?.length ?? 0) +
  (apiGroups?.length ?? 0) +
  (resources?.length ?? 0) +
  (resourceNames?.length ?? 0) +
  (nonResourceURLs?.length ?? 0);

type BySubject = Map<string, Map<string, RbacBinding>>;

const subjectKeysOf = ({ subjects, namespace }: RbacBinding): Set<string> =>
  new Set(subjects.map(each => subjectKey(each, namespace)).filter(key => key !== undefined));

/** Bindings by their keys, which are also entered in `scopes`: by namespace, subject and name. */
class BindingStore implements PolicyStore {
  readonly #bindings = new Map<string, RbacBinding>();
  readonly #scopes: Map<string, BySubject>;

  constructor(scopes: Map<string, BySubject>) {
    this.#scopes = scopes;
  }

  put(key: string, { object }: Held): void {
    const binding = bindingOf(object);
    this.remove(key);
    this.#bindings.set(key, binding);
    let scope = this.#scopes.get(binding.namespace);
    if (scope === undefined) this.#scopes.set(binding.namespace, (scope = new Map<string, Map<string, RbacBinding>>()));
    for (const subject of subjectKeysOf(binding)) {
      const named = scope.get(subject);
      if (named === undefined) scope.set(subject, new Map([[binding.name, binding]]));
      else named.set(binding.name, binding);
    }
  }

  remove(key: string): void {
    const binding = this.#bindings.get(key);
    if (binding === undefined) return;
    const { namespace, name } = binding;
    const scope = this.#scopes.get(namespace);
    if (scope === undefined) return;
    this.#bindings.delete(key);
    for (const subject of subjectKeysOf(binding)) {
      const named = scope.get(subject);
      named?.delete(name);
      if (named?.size === 0) scope.delete(subject);
    }
    if (scope.size === 0) this.#scopes.delete(namespace);
  }
}

/** The roles and bindings of a server, by what a request looks up. */
export class RbacPolicy {
  readonly #clusterRoles = new RoleStore();
  readonly #roles = new RoleStore();
  /** Cluster-wide bindings have the scope '', which is no namespace. */
  readonly #scopes = new Map<string, BySubject>();
  readonly #stores: Readonly<Record<PolicyResource, PolicyStore>> = {
    clusterroles: this.#clusterRoles,
    roles: this.#roles,
    rolebindings: new BindingStore(this.#scopes),
    clusterrolebindings: new BindingStore(this.#scopes),
  };

  /** Adds or replaces an object. The key is `namespace/name`, or `name` for cluster-scoped objects. */
  put(resource: PolicyResource, key: string, held: Held): void {
    this.#stores[resource].put(key, held);
  }

  remove(resource: PolicyResource, key: string): void {
    this.#stores[resource].remove(key);
  }

  /** Returns the rules of a role that a binding in `namespace` ('': cluster-wide) refers to, or the text of the error. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | string {
    if (kind !== 'Role' && kind !== 'ClusterRole') return `unsupported role reference kind: ${goQuote(kind)}`;
    const rules = this.#storeOf(kind).rulesOf(namespacedName(kind === 'Role' ? namespace : '', name));
    return rules ?? `${qualified(kind.toLowerCase(), rbacGroup)} ${goQuote(name)} not found`;
  }

  /**
   * hot: once per request, except for system:masters. Calls the visitor for everything that applies to the user, cluster-wide bindings first, until
   * it returns false. The first step is enough for most users, but one who may create Roles can have any number of rules.
   */
  *visit(user: Identity, namespace: string, visitor: Visitor): InSteps<void> {
    let left = valuesPerStep;
    for (const scope of namespace === '' ? [''] : ['', namespace]) {
      for (const binding of this.#applying(user, scope)) {
        const isParsed = this.#isParsed(binding);
        const rules = this.rulesOf(binding.roleRef, binding.namespace);
        if (!isParsed || --left <= 0) {
          left = valuesPerStep;
          yield;
        }
        if (typeof rules === 'string') {
          if (!visitor({ error: rules })) return;
          continue;
        }
        for (const rule of rules) {
          if (!visitor({ binding, rule })) return;
          left -= valuesOf(rule);
          if (left > 0) continue;
          left = valuesPerStep;
          yield;
        }
      }
    }
  }

  #storeOf(kind: string): RoleStore {
    return kind === 'Role' ? this.#roles : this.#clusterRoles;
  }

  /** Reports whether the role of a binding needs no parsing, which takes some milliseconds if it is large. */
  #isParsed({ roleRef: { kind, name }, namespace }: RbacBinding): boolean {
    return this.#storeOf(kind).isParsed(namespacedName(kind === 'Role' ? namespace : '', name));
  }

  /** Yields the bindings of a scope that name the user, each once. */
  *#applying(user: Identity, scope: string): Generator<RbacBinding> {
    const bySubject = this.#scopes.get(scope);
    if (bySubject === undefined) return;
    const seen = new Set<RbacBinding>();
    for (const key of [userKey(user.name), ...user.groups.map(groupKey)]) {
      for (const binding of bySubject.get(key)?.values() ?? []) {
        if (!seen.has(binding)) yield binding;
        seen.add(binding);
      }
    }
  }
}
