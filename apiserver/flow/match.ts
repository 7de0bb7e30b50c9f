/** Matches requests with the rules of a FlowSchema, which are compiled once. */
import type { Identity } from '../../apimachinery/identity.js';
import type { FlowSchemaSpec } from '../../api/kubernetes/flowcontrol.js';
import type { RequestInfo } from '../interface.js';

type PolicyRules = NonNullable<FlowSchemaSpec['rules']>[number];
type Subject = NonNullable<PolicyRules['subjects']>[number];
type ResourceRule = NonNullable<PolicyRules['resourceRules']>[number];
type PathRule = NonNullable<PolicyRules['nonResourceRules']>[number];

type MatchesUser = (user: Identity) => boolean;
export type MatchesRequest = (info: RequestInfo) => boolean;

/** One rule of a schema: a matcher of users and one of requests. */
export interface Rule {
  readonly user: MatchesUser;
  readonly request: MatchesRequest;
}

const anyUser: MatchesUser = () => true;
const noUser: MatchesUser = () => false;

function subjectMatcher({ kind, user, group, serviceAccount }: Subject): MatchesUser {
  if (kind === 'User' && user) return user.name === '*' ? anyUser : ({ name }) => name === user.name;
  if (kind === 'Group' && group)
    return group.name === '*' ? anyUser : ({ groups }) => groups.includes(group.name ?? '');
  if (kind !== 'ServiceAccount' || !serviceAccount) return noUser;
  const prefix = `system:serviceaccount:${serviceAccount.namespace}:`;
  if (serviceAccount.name === '*') return ({ name }) => name.startsWith(prefix);
  const whole = prefix + serviceAccount.name;
  return ({ name }) => name === whole;
}

/** Returns a matcher of the values in a list; `*` alone matches everything. */
function within(list: readonly string[] | null | undefined): (value: string) => boolean {
  if (list?.length === 1 && list[0] === '*') return () => true;
  const known = new Set(list);
  return value => known.has(value);
}

function resourceMatcher(rule: ResourceRule): MatchesRequest {
  const verb = within(rule.verbs);
  const group = within(rule.apiGroups);
  const everything = rule.resources?.length === 1 && rule.resources[0] === '*';
  const resources = new Set(rule.resources);
  const namespace = within(rule.namespaces);
  const clusterScope = rule.clusterScope === true;
  return info =>
    verb(info.verb) &&
    (everything || resources.has(info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`)) &&
    group(info.group) &&
    (info.namespace === '' ? clusterScope : namespace(info.namespace));
}

function pathMatcher(rule: PathRule): MatchesRequest {
  const verb = within(rule.verbs);
  const paths = rule.nonResourceURLs ?? [];
  const exact = new Set(paths);
  const prefixes = paths
    .map(path => path.replace(/\*$/, ''))
    .map(prefix => (prefix.endsWith('/') ? prefix : `${prefix}/`));
  const everything = exact.has('*');
  return ({ verb: requested, path }) =>
    verb(requested) && (everything || exact.has(path) || prefixes.some(prefix => path.startsWith(prefix)));
}

const any =
  <T>(matchers: readonly ((value: T) => boolean)[]): ((value: T) => boolean) =>
  value => {
    for (const matches of matchers) if (matches(value)) return true;
    return false;
  };

/** Returns the tests of whether a rule of a flow schema matches a user and a request. as apiserver/pkg/util/flowcontrol/rule.go matchesFlowSchema */
export function compileRules(spec: FlowSchemaSpec): readonly Rule[] {
  return (spec.rules ?? []).map(({ subjects, resourceRules, nonResourceRules }) => {
    const resource = any((resourceRules ?? []).map(resourceMatcher));
    const path = any((nonResourceRules ?? []).map(pathMatcher));
    return {
      user: any((subjects ?? []).map(subjectMatcher)),
      request: info => (info.isResource ? resource(info) : path(info)),
    };
  });
}
