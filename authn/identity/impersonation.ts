/**
 * Lets a user act as another user. Constrained modes are tried first: they need a right on the impersonated user
 * (`impersonate:MODE`) and one on each request that is made (`impersonate-on:MODE:VERB`). Plain `impersonate` suffices for everything.
 */
import { LRUCache } from 'lru-cache';
import { goQuote } from '../../lib/go/go-text.js';
import { type InSteps, inTimeSlices, Strides, TimeSlice } from '../../lib/time-slice.js';
import { domainPrefixedPathFaults } from '../../apimachinery/meta/names.js';
import { badRequest, faultsText } from '../../apimachinery/errors/status.js';
import type { Identity } from '../../apimachinery/identity.js';
import { refusal } from '../refusal.js';
import type { Attributes, Authorizer, Headers } from '../interface.js';
import { extraSteps } from './extra.js';
import { headerValue, headerValues } from './headers.js';
import { anonymousName, systemAuthenticated, systemMasters, systemUnauthenticated } from './system-users.js';
import { nodeOf, serviceAccountGroups, serviceAccountOf } from './user-names.js';
import { nodeNameExtraKey } from '../../api/kubernetes/well-known.js';

/** The user to impersonate, as the headers specify it. */
interface Target {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Identity['extra'];
}

interface Impersonated {
  readonly user: Identity;
  /** The verb that allowed it, for the audit log; '' for plain `impersonate`. */
  readonly constraint: string;
}

type ResourceAttributes = Extract<Attributes, { type: 'resource' }>;

interface Mode {
  /** '' for plain impersonation. */
  readonly name: string;
  applies(wanted: Target, requestor: Identity): boolean;
}

const onlyName = ({ uid, groups, extra }: Target): boolean =>
  uid === '' && groups.length === 0 && Object.keys(extra ?? {}).length === 0;

/** All modes, in the order in which they are tried. */
const modes: readonly Mode[] = Object.freeze<Mode[]>([
  {
    name: 'associated-node',
    applies: (wanted, requestor) => {
      const node = nodeOf(wanted.name);
      const own = requestor.extra?.[nodeNameExtraKey];
      const bound = own?.length === 1 && own[0] === node;
      return onlyName(wanted) && node !== undefined && serviceAccountOf(requestor.name) !== undefined && bound;
    },
  },
  { name: 'arbitrary-node', applies: wanted => onlyName(wanted) && nodeOf(wanted.name) !== undefined },
  { name: 'serviceaccount', applies: wanted => onlyName(wanted) && serviceAccountOf(wanted.name) !== undefined },
  {
    name: 'user-info',
    applies: wanted => nodeOf(wanted.name) === undefined && serviceAccountOf(wanted.name) === undefined,
  },
  { name: '', applies: () => true },
]);

// as fmt %#v of k8s.io/apiserver/pkg/authentication/user DefaultInfo
function goSyntax({ name, uid, groups, extra }: Target): string {
  const list = (values: readonly string[]): string => `[]string{${values.map(goQuote).join(', ')}}`;
  const sorted = Object.keys(extra ?? {}).sort();
  const map = sorted.map(key => `${goQuote(key)}:${list(extra?.[key] ?? [])}`).join(', ');
  const shownGroups = groups.length === 0 ? '[]string(nil)' : list(groups);
  const shownExtra = extra === undefined ? 'map[string][]string(nil)' : `map[string][]string{${map}}`;
  return `&user.DefaultInfo{Name:${goQuote(name)}, UID:${goQuote(uid)}, Groups:${shownGroups}, Extra:${shownExtra}}`;
}

/** hot: Reports whether there is an impersonation header. Most requests have none. */
function impersonates(headers: Headers): boolean {
  for (const header in headers) if (header.startsWith('impersonate-')) return true;
  return false;
}

/** Returns the user to impersonate; undefined when there is none. Throws 400 for other impersonation headers without a user. */
function* wantedSteps(headers: Headers): InSteps<Target | undefined> {
  const wanted: Target = {
    name: headerValue(headers, 'impersonate-user'),
    uid: headerValue(headers, 'impersonate-uid'),
    groups: headerValues(headers, 'impersonate-group'),
    extra: yield* extraSteps(headers, 'impersonate-extra-'),
  };
  if (wanted.name !== '') return wanted;
  if (wanted.uid === '' && wanted.groups.length === 0 && wanted.extra === undefined) return undefined;
  throw badRequest(`requested ${goSyntax(wanted)} without impersonating a user name`);
}

/** The authorization checks of one mode, on behalf of the requestor. */
interface Check {
  readonly constrained: boolean;
  readonly verb: string;
  attributes(group: string, resource: string, more?: Partial<ResourceAttributes>): ResourceAttributes;
  refuse(attributes: Attributes, reason: string): never;
  allows(attributes: Attributes): Promise<boolean>;
  must(attributes: Attributes): Promise<void>;
}

function checkOf(authorize: Authorizer, requestor: Identity, mode: string): Check {
  // For a node's own agents only the keys of the extra attributes count, so that the decision is the same for all of them.
  const keys = Object.keys(requestor.extra ?? {}).sort();
  const checkedUser =
    mode === 'associated-node'
      ? { ...requestor, extra: { 'authentication.kubernetes.io/associated-node-keys': keys } }
      : requestor;
  const verb = mode === '' ? 'impersonate' : `impersonate:${mode}`;
  const base = { type: 'resource', verb, version: 'v1', subresource: '', namespace: '', name: '' } as const;
  const refuse = (attributes: Attributes, reason: string): never => {
    throw refusal(checkedUser, attributes, reason);
  };
  return {
    constrained: mode !== '',
    verb,
    attributes: (group, resource, more = {}) => ({ ...base, group, resource, ...more }),
    refuse,
    allows: async attributes => (await authorize(checkedUser, attributes)).allowed,
    must: async attributes => {
      const decision = await authorize(checkedUser, attributes);
      if (!decision.allowed) refuse(attributes, decision.reason);
    },
  };
}

const authentication = 'authentication.k8s.io';
/** Number of values from which on one check for all of them is tried first. */
const wildcardThreshold = 4;

/** Checks tens of thousands of values, for each of which all rules of the requestor are searched, in several turns of the event loop. */
async function mustAll<T>(check: Check, values: readonly T[], attributesOf: (value: T) => Attributes): Promise<void> {
  const slice = new TimeSlice();
  for (const value of values) {
    await check.must(attributesOf(value));
    const pause = slice.pause();
    if (pause) await pause;
  }
}

async function checkName(check: Check, wanted: Target): Promise<void> {
  const group = check.constrained ? authentication : '';
  const account = serviceAccountOf(wanted.name);
  const node = check.constrained ? nodeOf(wanted.name) : undefined;
  if (account !== undefined) return check.must(check.attributes(group, 'serviceaccounts', account));
  if (node === undefined) return check.must(check.attributes(group, 'users', { name: wanted.name }));
  // A node's own agents need the right on all nodes, so that the decision does not depend on the node.
  const name = check.verb === 'impersonate:associated-node' ? '*' : node;
  return check.must(check.attributes(group, 'nodes', { name }));
}

async function checkGroups(check: Check, groups: readonly string[]): Promise<void> {
  if (groups.length === 0) return;
  const attributesOf = (name: string): ResourceAttributes =>
    check.attributes(check.constrained ? authentication : '', 'groups', { name });
  if (check.constrained) {
    if (groups.includes('')) check.refuse(attributesOf(''), 'impersonating the empty string group is not allowed');
    if (groups.includes(systemMasters))
      check.refuse(attributesOf(systemMasters), 'impersonating the system:masters group is not allowed');
    if (groups.length >= wildcardThreshold && (await check.allows(attributesOf('*')))) return;
  }
  await mustAll(check, groups, attributesOf);
}

/** Returns what constrained modes refuse; '' when nothing. */
function* extraFault(extra: NonNullable<Identity['extra']>): InSteps<string> {
  const strides = new Strides();
  for (const [key, values] of Object.entries(extra)) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    const faults = faultsText(domainPrefixedPathFaults('extra.key', key));
    if (faults !== '') return `impersonating an invalid key in extra is not allowed: ${faults}`;
    if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${goQuote(key)}`;
    if (values.length === 0) return 'impersonating empty values in extra is not allowed';
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
    if (strides.isOver) yield;
  }
  return '';
}

async function checkExtra(check: Check, extra: Identity['extra']): Promise<void> {
  if (extra === undefined || Object.keys(extra).length === 0) return;
  const attributesOf = (key: string, value: string): ResourceAttributes =>
    check.attributes(authentication, 'userextras', { subresource: key, name: value });
  if (check.constrained) {
    const fault = await inTimeSlices(extraFault(extra));
    if (fault !== '') check.refuse(attributesOf('', ''), fault);
    const count = Object.values(extra).reduce((sum, values) => sum + values.length, 0);
    const large = Object.keys(extra).length >= wildcardThreshold || count >= wildcardThreshold;
    if (large && (await check.allows(attributesOf('*', '*')))) return;
  }
  const pairs = Object.entries(extra).flatMap(([key, values]) => values.map(value => [key, value] as const));
  await mustAll(check, pairs, ([key, value]) => attributesOf(key, value));
}

/** Returns the impersonated user with the groups that follow from its name, and system:authenticated or system:unauthenticated. */
function identityOf(wanted: Target, constrained: boolean): Identity {
  const account = serviceAccountOf(wanted.name);
  let groups = wanted.groups;
  if (account !== undefined && groups.length === 0) groups = serviceAccountGroups(account.namespace);
  else if (constrained && nodeOf(wanted.name) !== undefined) groups = ['system:nodes'];
  const commonGroup = wanted.name === anonymousName ? systemUnauthenticated : systemAuthenticated;
  if (
    !groups.includes(commonGroup) &&
    (commonGroup === systemUnauthenticated || !groups.includes(systemUnauthenticated))
  )
    groups = [...groups, commonGroup];
  return {
    name: wanted.name,
    ...(wanted.uid !== '' && { uid: wanted.uid }),
    groups,
    ...(wanted.extra !== undefined && { extra: wanted.extra }),
  };
}

/** Tries one mode. Rejects with Forbidden. */
async function attempt(mode: Mode, check: Check, wanted: Target, attributes: Attributes): Promise<Impersonated> {
  const verb = `impersonate-on:${mode.name}:${attributes.verb}`;
  if (check.constrained) await check.must({ ...attributes, verb });
  await checkName(check, wanted);
  if (wanted.uid !== '') await check.must(check.attributes(authentication, 'uids', { name: wanted.uid }));
  await checkGroups(check, wanted.groups);
  await checkExtra(check, wanted.extra);
  return { user: identityOf(wanted, check.constrained), constraint: mode.name === '' ? '' : check.verb };
}

export type Impersonate = (
  requestor: Identity,
  headers: Headers,
  attributes: Attributes,
) => Promise<Impersonated | undefined>;

/**
 * Returns a function that returns undefined when the headers name no user. It rejects with BadRequest or with the Forbidden of the first mode.
 * The mode that last succeeded for a user is tried first, so that plain impersonation costs no more than before.
 */
export function impersonation(authorize: Authorizer): Impersonate {
  const lastMode = new LRUCache<string, Mode>({ max: 10_000 });
  return async (requestor, headers, attributes) => {
    if (!impersonates(headers)) return undefined;
    const wanted = await inTimeSlices(wantedSteps(headers));
    if (wanted === undefined) return undefined;
    const last = lastMode.get(requestor.name);
    const order = last === undefined ? modes : [last, ...modes.filter(mode => mode !== last)];
    let failure: unknown;
    for (const mode of order) {
      if (!mode.applies(wanted, requestor)) continue;
      try {
        const done = await attempt(mode, checkOf(authorize, requestor, mode.name), wanted, attributes);
        lastMode.set(requestor.name, mode);
        return done;
      } catch (error) {
        failure ??= error;
      }
    }
    throw failure instanceof Error ? failure : new Error('all impersonation modes failed', { cause: failure });
  };
}
