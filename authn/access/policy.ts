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

/** Returns the first subject of a binding that matches this user. */
export const matchingSubject = (binding: RbacBinding, user: Identity): RbacSubject | undefined =>
  binding.subjects.find(subject => {
    const key = subjectKey(subject, binding.namespace);
    return key === userKey(user.name) || user.groups.some(group => key === groupKey(group));
  });

const rulesOf = (role: KubeObject): readonly PolicyRule[] =>
  (role['rules'] as readonly PolicyRule[] | null | undefined) ?? [];

const subject = ({ kind = '', name = '', namespace = '' }: rbac.Subject): RbacSubject => ({ kind, name, namespace });
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
interface RoleStore extends PolicyStore {
  rulesOf(key: string): readonly PolicyRule[] | undefined;
}

function roleStore(): RoleStore {
  const unread = new Map<string, Held>();
  const read = new Map<string, readonly PolicyRule[]>();
  return {
    put(key, held) {
      unread.set(key, held);
      read.delete(key);
    },
    remove(key) {
      unread.delete(key);
      read.delete(key);
    },
    rulesOf(key) {
      const held = unread.get(key);
      if (!held) return read.get(key);
      const rules = rulesOf(held.object);
      read.set(key, rules);
      unread.delete(key);
      return rules;
    },
  };
}

type BySubject = Map<string, Map<string, RbacBinding>>;

function bindingStore(scopes: Map<string, BySubject>): PolicyStore {
  const bindings = new Map<string, RbacBinding>();
  const keysOf = (binding: RbacBinding): Set<string> =>
    new Set(binding.subjects.map(s => subjectKey(s, binding.namespace)).filter(key => key !== undefined));
  const remove = (key: string): void => {
    const binding = bindings.get(key);
    if (binding === undefined) return;
    const { namespace, name } = binding;
    const scope = scopes.get(namespace);
    if (scope === undefined) return;
    bindings.delete(key);
    for (const subject of keysOf(binding)) {
      const named = scope.get(subject);
      named?.delete(name);
      if (named?.size === 0) scope.delete(subject);
    }
    if (scope.size === 0) scopes.delete(namespace);
  };
  const put = (key: string, { object }: Held): void => {
    const binding = bindingOf(object);
    remove(key);
    bindings.set(key, binding);
    let scope = scopes.get(binding.namespace);
    if (scope === undefined) scopes.set(binding.namespace, (scope = new Map<string, Map<string, RbacBinding>>()));
    for (const subject of keysOf(binding)) {
      const named = scope.get(subject);
      if (named === undefined) scope.set(subject, new Map([[binding.name, binding]]));
      else named.set(binding.name, binding);
    }
  };
  return { put, remove };
}

export interface RbacPolicy {
  /** Adds or replaces an object. The key is `namespace/name`, or `name` for cluster-scoped objects. */
  put(resource: PolicyResource, key: string, held: Held): void;
  remove(resource: PolicyResource, key: string): void;
  /** Returns the rules of a role that a binding in `namespace` ('': cluster-wide) refers to, or the text of the error. */
  rulesOf(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | string;
  /** Calls the visitor for everything that applies to the user, cluster-wide bindings first, until it returns false. */
  visit(user: Identity, namespace: string, visitor: Visitor): void;
}

export function createPolicy(): RbacPolicy {
  const clusterRoles = roleStore();
  const roles = roleStore();
  // Cluster-wide bindings have the scope '', which is no namespace.
  const scopes = new Map<string, BySubject>();
  const bindings = bindingStore(scopes);
  const clusterBindings = bindingStore(scopes);
  const stores: Readonly<Record<PolicyResource, PolicyStore>> = {
    clusterroles: clusterRoles,
    roles,
    rolebindings: bindings,
    clusterrolebindings: clusterBindings,
  };

  const rulesOf: RbacPolicy['rulesOf'] = (roleRef, namespace) => {
    if (roleRef.kind !== 'Role' && roleRef.kind !== 'ClusterRole')
      return `unsupported role reference kind: ${goQuote(roleRef.kind)}`;
    const rules =
      roleRef.kind === 'Role'
        ? roles.rulesOf(namespacedName(namespace, roleRef.name))
        : clusterRoles.rulesOf(namespacedName('', roleRef.name));
    return rules ?? `${qualified(roleRef.kind.toLowerCase(), rbacGroup)} ${goQuote(roleRef.name)} not found`;
  };

  /** Yields the bindings of a scope that name the user, each once. */
  function* applying(user: Identity, scope: string): Generator<RbacBinding> {
    const bySubject = scopes.get(scope);
    if (bySubject === undefined) return;
    const seen = new Set<RbacBinding>();
    for (const key of [userKey(user.name), ...user.groups.map(groupKey)]) {
      for (const binding of bySubject.get(key)?.values() ?? []) {
        if (!seen.has(binding)) yield binding;
        seen.add(binding);
      }
    }
  }

  // hot: once per request, except for system:masters.
  const visit: RbacPolicy['visit'] = (user, namespace, visitor) => {
    for (const scope of namespace === '' ? [''] : ['', namespace]) {
      for (const binding of applying(user, scope)) {
        const rules = rulesOf(binding.roleRef, binding.namespace);
        if (typeof rules === 'string') {
          if (!visitor({ error: rules })) return;
          continue;
        }
        for (const rule of rules) if (!visitor({ binding, rule })) return;
      }
    }
  };

  return {
    put: (resource, key, held) => stores[resource].put(key, held),
    remove: (resource, key) => stores[resource].remove(key),
    rulesOf,
    visit,
  };
}
