/** The functions with which expressions check the rights of users: `authorizer.group('apps').resource('deployments').check('get').allowed()`. */
// as apiserver/pkg/cel/library authz.go
import * as cost from '../../../../lib/cel/cost-model.js';
import { type Library, method } from '../../../../lib/cel/function.js';
import { Opaque } from '../../../../lib/cel/opaque.js';
import * as t from '../../../../lib/cel/types.js';
import { CelError } from '../../../../lib/cel/values.js';
import { checkDns1123Label, checkDns1123Subdomain } from '../../../../apimachinery/meta/names.js';
import type { Attributes } from '../../../../registry/access.js';
import type { Identity } from '../../../../apimachinery/identity.js';

/** The result of an authorization check. */
export interface AccessResult {
  readonly allowed: boolean;
  readonly reason: string;
  /** Why there is no result. */
  readonly error?: string;
}

/** Expressions are synchronous: the answer must be known already. */
export type CheckAccess = (user: Identity, attributes: Attributes) => AccessResult;

interface Rights {
  readonly user: Identity;
  readonly checkAccess: CheckAccess;
}

type Resource = Omit<Extract<Attributes, { type: 'resource' }>, 'verb'>;
type Path = Omit<Extract<Attributes, { type: 'path' }>, 'verb'>;
type Check<T> = Rights & { readonly of: T };

const named = (name: string): t.Type => t.opaque(`kubernetes.authorization.${name}`);

export const authorizerType = named('Authorizer');
export const resourceCheckType = named('ResourceCheck');
const pathCheckType = named('PathCheck');
const groupCheckType = named('GroupCheck');
const decisionType = named('Decision');

const wrap = (type: t.Type, value: unknown): Opaque => new Opaque(type, value, other => other.value === value);

/** Returns the variable `authorizer` of an expression, for the user of the request. */
export const authorizerOf = (user: Identity, checkAccess: CheckAccess): Opaque =>
  wrap(authorizerType, { user, checkAccess } satisfies Rights);

/** Returns the resource of a request, to be checked: `authorizer.requestResource`. */
export const resourceCheckOf = (user: Identity, checkAccess: CheckAccess, of: Resource): Opaque =>
  wrap(resourceCheckType, { user, checkAccess, of } satisfies Check<Resource>);

const needsText = (text: string, what: string): void => {
  if (text.trim() === '') throw new CelError(`${what} must not be empty`);
};

function path(authorizer: Opaque, of: string): Opaque {
  needsText(of, 'path');
  return wrap(pathCheckType, { ...(authorizer.value as Rights), of: { type: 'path', path: of } } satisfies Check<Path>);
}

function serviceAccount(authorizer: Opaque, namespace: string, name: string): Opaque {
  if (checkDns1123Subdomain(name).length > 0) throw new CelError('Invalid service account name');
  if (checkDns1123Label(namespace).length > 0) throw new CelError('Invalid service account namespace');
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  const user = { name: `system:serviceaccount:${namespace}:${name}`, groups };
  return authorizerOf(user, (authorizer.value as Rights).checkAccess);
}

function resource(group: Opaque, of: string): Opaque {
  needsText(of, 'resource');
  const { user, checkAccess, of: name } = group.value as Check<string>;
  const empty = { subresource: '', namespace: '', name: '' };
  return resourceCheckOf(user, checkAccess, { type: 'resource', group: name, version: '*', resource: of, ...empty });
}

/** Returns a function that adds a part to a check. */
const narrowed =
  (part: keyof Resource) =>
  (check: Opaque, value: string): Opaque => {
    const { user, checkAccess, of } = check.value as Check<Resource>;
    return resourceCheckOf(user, checkAccess, { ...of, [part]: value });
  };

function decide(check: Opaque, verb: string): Opaque {
  const { user, checkAccess, of } = check.value as Check<Resource | Path>;
  return wrap(decisionType, checkAccess(user, { ...of, verb }));
}

const decisionPart =
  <T>(look: (result: AccessResult) => T) =>
  (decision: Opaque): T =>
    look(decision.value as AccessResult);

const step = cost.constant(1);
/** The limits for expressions allow at most two checks in one. */
const checkCost = cost.constant(350_000);

const selectorCost: cost.CallCost = {
  estimate: args => {
    const size = args[1]?.size ?? cost.unknownSize;
    const requirements = cost.factor(cost.factor(size, 0.5), cost.listCost + cost.objectCost);
    return {
      cost: cost.plus(cost.plus(cost.fixedRange(cost.listCost), cost.factor(size, cost.perCharacter)), requirements),
    };
  },
  actual: (args, _result, sizeOf) => {
    const size = sizeOf(args[1] ?? null);
    const requirements = Math.ceil(Math.ceil(size * 0.5) * (cost.listCost + cost.objectCost));
    return cost.listCost + Math.ceil(size * cost.perCharacter) + requirements;
  },
};

const [authorizer, group, check, decision] = [authorizerType, groupCheckType, resourceCheckType, decisionType];

export const authorizerLibrary: Library = [
  method('authorizer_path', 'path', [authorizer, t.string], pathCheckType, { call: path, cost: step }),
  method('authorizer_group', 'group', [authorizer, t.string], group, {
    call: (of: Opaque, name: string) =>
      wrap(groupCheckType, { ...(of.value as Rights), of: name } satisfies Check<string>),
    cost: step,
  }),
  method('authorizer_serviceaccount', 'serviceAccount', [authorizer, t.string, t.string], authorizer, {
    call: serviceAccount,
    cost: step,
  }),
  method('groupcheck_resource', 'resource', [group, t.string], check, { call: resource, cost: step }),
  method('resourcecheck_subresource', 'subresource', [check, t.string], check, {
    call: narrowed('subresource'),
    cost: step,
  }),
  method('resourcecheck_namespace', 'namespace', [check, t.string], check, { call: narrowed('namespace'), cost: step }),
  method('resourcecheck_name', 'name', [check, t.string], check, { call: narrowed('name'), cost: step }),
  method('authorizer_fieldselector', 'fieldSelector', [check, t.string], check, {
    call: narrowed('fieldSelector'),
    cost: selectorCost,
  }),
  method('authorizer_labelselector', 'labelSelector', [check, t.string], check, {
    call: narrowed('labelSelector'),
    cost: selectorCost,
  }),
  method('pathcheck_check', 'check', [pathCheckType, t.string], decision, { call: decide, cost: checkCost }),
  method('resourcecheck_check', 'check', [check, t.string], decision, { call: decide, cost: checkCost }),
  method('decision_errored', 'errored', [decision], t.bool, {
    call: decisionPart(({ error }) => error !== undefined),
    cost: step,
  }),
  method('decision_error', 'error', [decision], t.string, {
    call: decisionPart(({ error }) => error ?? ''),
    cost: step,
  }),
  method('decision_allowed', 'allowed', [decision], t.bool, {
    call: decisionPart(({ allowed }) => allowed),
    cost: step,
  }),
  method('decision_reason', 'reason', [decision], t.string, { call: decisionPart(({ reason }) => reason), cost: step }),
];
