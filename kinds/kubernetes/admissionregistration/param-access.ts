/** A user who makes a policy refer to parameters, or binds it to some, must be allowed to read the parameters. */
// as pkg/registry/admissionregistration/validatingadmissionpolicy authorize, and those of the other three kinds
import type { Fault, KubeObject } from '../../../apimachinery/interface.js';
import { forbiddenField } from '../../../apimachinery/errors/faults.js';
import { readApiVersion } from '../../../apimachinery/meta/gvk.js';
import { StatusError } from '../../../apimachinery/errors/status.js';
import { andThen } from '../../../lib/maybe.js';
import type { AccessPorts, Attributes } from '../../../registry/access.js';
import type { Identity } from '../../../apimachinery/identity.js';
import type { ActionCall, LongValidate, ResourceDefinition } from '../../../registry/interface.js';
import type { ParamKind, ParamRef } from '../../../api/kubernetes/admissionregistration.js';

type Authorize = AccessPorts['authorize'];
type Refusal = (draft: KubeObject, old: KubeObject | undefined, call: ActionCall) => Promise<Fault | undefined>;
type Completion = (definition: ResourceDefinition) => ResourceDefinition;

interface Policy {
  readonly spec?: { readonly paramKind?: ParamKind };
}

interface Binding {
  readonly spec?: { readonly policyName?: string; readonly paramRef?: ParamRef };
}

const superusers = 'system:masters';

/** Returns a user as Go prints it. */
function shownUser({ name, uid = '', groups, extra = {} }: Identity): string {
  const entries = Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1));
  const shown = entries.map(([key, values]) => `${key}:[${values.join(' ')}]`).join(' ');
  return `&{${name} ${uid} [${groups.join(' ')}] map[${shown}]}`;
}

interface Wanted {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Why the details are unknown. */
  readonly unknown?: 'parse' | 'resolve';
}

/** If details about the parameters are unknown, the user must be allowed to read all that they might be. */
async function wantedOf(kind: ParamKind, call: ActionCall): Promise<Wanted> {
  const found = readApiVersion(kind.apiVersion ?? '');
  if (!found) return { group: '*', version: '*', resource: '*', unknown: 'parse' };
  const mapped = await call.client.mapper.forKind({ ...found, kind: kind.kind ?? '' });
  if (!mapped) return { ...found, resource: '*', unknown: 'resolve' };
  return { ...found, resource: mapped.resource };
}

const question = (verb: string, { group, version, resource }: Wanted, namespace: string, name: string): Attributes => ({
  ...{ type: 'resource', verb, group, version, resource },
  ...{ subresource: '', namespace, name },
});

function kindRefusal(authorize: Authorize): Refusal {
  return async (draft, old, call) => {
    const kind = (draft as Policy).spec?.paramKind;
    const before = (old as Policy | undefined)?.spec?.paramKind;
    if (!kind || (before?.kind === kind.kind && before?.apiVersion === kind.apiVersion)) return undefined;
    const { allowed } = await authorize(call.user, question('get', await wantedOf(kind, call), '*', '*'));
    if (allowed) return undefined;
    return forbiddenField(
      'spec.paramKind',
      `user ${shownUser(call.user)} must have "get" permission on all objects of the referenced paramKind (kind=${kind.kind}, apiVersion=${kind.apiVersion})`,
    );
  };
}

/** Returns the policy of a binding, if it exists. */
async function policyOf(plural: string, name: string, { client }: ActionCall): Promise<Policy | undefined> {
  const resource = { group: 'admissionregistration.k8s.io', version: 'v1', resource: plural };
  try {
    return (await client.get(resource, { name })) as Policy;
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

/** Checked again at every change: upstream compares pointers of the references, not their contents. */
function referenceRefusal(authorize: Authorize, policies: string): Refusal {
  return async (draft, _old, call) => {
    const { policyName = '', paramRef: reference } = (draft as Binding).spec ?? {};
    if (!reference) return undefined;
    const policy = await policyOf(policies, policyName, call);
    const kind = policy?.spec?.paramKind;
    const wanted = kind ? await wantedOf(kind, call) : { group: '*', version: '*', resource: '*' };
    const [verb, user] = [reference.name ? 'get' : 'list', shownUser(call.user)];
    const { allowed } = await authorize(
      call.user,
      question(verb, wanted, reference.namespace ?? '', reference.name ?? ''),
    );
    if (allowed) return undefined;
    const all = `to determine minimum required permissions and user ${user} does not have "${verb}" permission for all groups, versions and resources`;
    // The wrong order is upstream's mistake.
    const [who, what] = policies === 'mutatingadmissionpolicies' ? [verb, user] : [user, verb];
    let text = `user ${who} does not have "${what}" permission on the object referenced by paramRef`;
    if (!policy) text = `unable to get policy ${policyName} ${all}`;
    else if (wanted.unknown) text = `unable to ${wanted.unknown} paramKind &{${kind?.apiVersion} ${kind?.kind}} ${all}`;
    return forbiddenField('spec.paramRef', text);
  };
}

const nothing: LongValidate = () => [];

/** The refusal is found before the rules run, and reported only if they find nothing else. */
function completed(refusalOf: Refusal): Completion {
  const refusals = new WeakMap<KubeObject, Fault>();
  const orRefused =
    (rules: LongValidate): LongValidate =>
    (found, object, old, context) =>
      andThen(rules(found, object, old, context), faults => {
        const refusal = refusals.get(object);
        return refusal && found.length === 0 && faults.length === 0 ? [refusal] : faults;
      });
  return definition => ({
    ...definition,
    strategy: {
      ...definition.strategy,
      validateLong: orRefused(definition.strategy.validateLong ?? nothing),
      begin: async (draft, old, call) => {
        const isSuperuser = call.user.groups.includes(superusers);
        const refusal = isSuperuser ? undefined : await refusalOf(draft, old, call);
        if (refusal) refusals.set(draft, refusal);
        return async () => {};
      },
    },
  });
}

/** Refuses a policy whose author may not read all objects of its paramKind. */
export const paramKindAccess = (authorize: Authorize): Completion => completed(kindRefusal(authorize));

/** `policies`: the plural name of the policies that are bound. */
export const paramRefAccess = (authorize: Authorize, policies: string): Completion =>
  completed(referenceRefusal(authorize, policies));
