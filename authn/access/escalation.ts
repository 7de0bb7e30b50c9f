/**
 * Keeps users from granting rights that they do not have. Upstream checks this between mutating and validating admission; here it is the last
 * mutating plugin.
 */
import { aggregate } from '../../apimachinery/errors/aggregate.js';
import { goQuote } from '../../lib/go/go-text.js';
import { forbidden, notFound, plainError } from '../../apimachinery/errors/status.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission-plugin.js';
import { semanticEqual } from '../../lib/json/equality.js';
import type { ClusterRole, PolicyRule, RoleBinding } from '../../api/kubernetes/rbac.js';
import { systemMasters } from '../identity/system-users.js';
import type { Attributes, Authorizer } from '../interface.js';
import { quotedList } from '../../lib/go/go-text.js';
import { rulesText, TooManyComparisons, uncovered } from './cover.js';
import { inTimeSlices } from '../../lib/time-slice.js';
import { rbacGroup } from '../../kinds/kubernetes/rbac/rules.js';
import { roleRef, type RbacPolicy } from './policy.js';
import { rulesFor } from './rbac.js';
import { groupResourceOf } from '../../registry/group-resource.js';

interface EscalationDeps {
  readonly policy: RbacPolicy;
  readonly authorize: Authorizer;
}

type Request = AdmissionRequest & { readonly object: KubeObject };

const hasObject = (request: AdmissionRequest): request is Request => request.object !== undefined;

const refuse = (request: Request, text: string): Error =>
  forbidden(groupResourceOf(request), request.object.metadata.name ?? '', text);

const attributesOf = (verb: string, resource: string, namespace: string, name: string): Attributes => ({
  ...{ type: 'resource', verb, group: rbacGroup, version: '*', resource, subresource: '', namespace, name },
});

/** Maximum number of comparisons of one check, which users without rights can cause, too. */
const maxComparisons = 20_000_000;

/**
 * Returns the refusal for rules that the user lacks; undefined when it has all of them. as pkg/registry/rbac/validation/rule.go
 * ConfirmNoEscalation
 */
async function escalationText(
  { user, namespace }: Request,
  policy: RbacPolicy,
  wanted: readonly PolicyRule[],
): Promise<string | undefined> {
  const { rules, errors } = await rulesFor(policy, user, namespace);
  const head = `user ${goQuote(user.name)} (groups=${quotedList(user.groups)})`;
  let rest: readonly PolicyRule[];
  try {
    rest = await inTimeSlices(uncovered(rules, wanted, maxComparisons));
  } catch (error) {
    if (!(error instanceof TooManyComparisons)) throw error;
    return `${head} is attempting to grant RBAC permissions that are too many to be compared with those currently held`;
  }
  if (rest.length === 0) return undefined;
  const text = `${head} is attempting to grant RBAC permissions not currently held:\n${rulesText(rest)}`;
  return errors.length === 0 ? text : `${text}; resolution errors: [${aggregate(errors)}]`;
}

const fullAuthority: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

const aggregates = (object: KubeObject | undefined): boolean =>
  ((object as ClusterRole | undefined)?.aggregationRule?.clusterRoleSelectors ?? []).length > 0;

async function checkRole(request: Request, { policy, authorize }: EscalationDeps): Promise<void> {
  const { definition, operation, user, namespace, object, old } = request;
  // A create is a request to the collection, which has no name.
  const name = operation === 'CREATE' ? '' : request.name;
  if ((await authorize(user, attributesOf('escalate', definition.plural, namespace, name))).allowed) return;
  const text = await escalationText(request, policy, (object as ClusterRole).rules ?? []);
  if (text !== undefined) throw refuse(request, text);
  if ((aggregates(object) || aggregates(old)) && (await escalationText(request, policy, fullAuthority)) !== undefined)
    throw refuse(request, 'must have cluster-admin privileges to use the aggregationRule');
}

async function checkBinding(request: Request, { policy, authorize }: EscalationDeps): Promise<void> {
  const { user, namespace, object } = request;
  const wanted = (object as RoleBinding).roleRef ?? {};
  const { kind, name } = roleRef(wanted);
  const resource = kind === 'ClusterRole' ? 'clusterroles' : kind === 'Role' ? 'roles' : undefined;
  if (resource !== undefined) {
    const attributes = { ...attributesOf('bind', resource, namespace, name), group: wanted.apiGroup ?? '' };
    if ((await authorize(user, attributes)).allowed) return;
  }
  const rules = policy.rulesOf({ kind, name }, namespace);
  if (typeof rules === 'string') {
    if (resource === undefined) throw plainError(rules); // before validation, as upstream
    throw notFound({ group: rbacGroup, resource: kind.toLowerCase() }, name);
  }
  const text = await escalationText(request, policy, rules);
  if (text !== undefined) throw refuse(request, text);
}

const checks: Readonly<Record<string, (request: Request, deps: EscalationDeps) => Promise<void>>> = {
  roles: checkRole,
  clusterroles: checkRole,
  rolebindings: checkBinding,
  clusterrolebindings: checkBinding,
};

/** Returns whether the update only changes what the garbage collector changes, which is never an escalation. as pkg/registry/rbac/helpers.go */
function isGarbageCollection({ object, old }: Request): boolean {
  if (old === undefined) return false;
  const { finalizers, ownerReferences, managedFields } = old.metadata;
  const metadata = { ...object.metadata, finalizers, ownerReferences, managedFields };
  return semanticEqual({ ...object, metadata }, old);
}

/** Returns the admission plugin that refuses roles and bindings with rights that the user lacks. */
export function escalationCheck(deps: EscalationDeps): AdmissionPlugin {
  return {
    name: 'RBACEscalation',
    resources: Object.keys(checks).map(plural => `${plural}.${rbacGroup}`),
    mutate: async request => {
      const { definition, operation, user, subresource } = request;
      const check = checks[definition.plural];
      if (check === undefined || !hasObject(request) || subresource !== '' || operation === 'DELETE') return;
      if (user.groups.includes(systemMasters) || isGarbageCollection(request)) return;
      await check(request, deps);
    },
  };
}
