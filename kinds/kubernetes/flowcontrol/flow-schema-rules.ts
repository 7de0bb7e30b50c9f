// as pkg/apis/flowcontrol/validation ValidateFlowSchema
import { sameValue } from '../../../registry/strategy/same-value.js';
import { checkDns1123Label } from '../../../apimachinery/meta/names.js';
import type { Validate } from '../../../registry/interface.js';
import type { Field } from '../../shared/rules/field.js';
import { shownInternal } from '../../shared/go-text/internal-json.js';
import { dnsSubdomain } from '../../shared/rules/name-rules.js';
import { validate } from '../../shared/rules/validate.js';
import type {
  FlowSchema,
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  ServiceAccountSubject,
  Subject,
} from '../../../api/kubernetes/flowcontrol.js';
import { mandatorySchemas } from './mandatory.js';

const maxPrecedence = 10_000;
const distinguishers = ['ByNamespace', 'ByUser'];
/** Sorted. */
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

function spec(field: Field<FlowSchemaSpec>, name: string): void {
  const precedence = field.at('matchingPrecedence');
  const value = precedence.value ?? 0;
  if (value <= 0) precedence.invalid('must be a positive value', value);
  if (value > maxPrecedence) precedence.invalid(`must not be greater than ${maxPrecedence}`);
  if (value === 1 && name !== 'exempt')
    precedence.invalid("only the schema named 'exempt' may have matchingPrecedence 1");
  const method = field.at('distinguisherMethod');
  if (method.isSet && !distinguishers.includes(method.value?.type ?? ''))
    method.at('type').notSupported(distinguishers, shownInternal('*FlowDistinguisherMethod', method.value));
  const level = field.at('priorityLevelConfiguration').at('name');
  if (level.isEmpty) level.required('must reference a priority level');
  else dnsSubdomain(level);
  for (const rule of field.at('rules').items()) ruleOf(rule);
}

function ruleOf(rule: Field<PolicyRulesWithSubjects>): void {
  const subjects = rule.at('subjects');
  if (subjects.isEmpty) subjects.required('subjects must contain at least one value');
  for (const subject of subjects.items()) subjectOf(subject);
  const [resources, others] = [rule.at('resourceRules'), rule.at('nonResourceRules')];
  if (resources.isEmpty && others.isEmpty)
    rule.required('at least one of resourceRules and nonResourceRules has to be non-empty');
  for (const resource of resources.items()) resourceRule(resource);
  for (const other of others.items()) nonResourceRule(other);
}

const fields = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const;
type Kind = keyof typeof fields;
const kinds = ['Group', 'ServiceAccount', 'User'] as const;

function subjectOf(subject: Field<Subject>): void {
  const kind = kinds.find(known => known === subject.value?.kind);
  if (kind === undefined) {
    subject.at('kind').notSupported(kinds);
    return;
  }
  const field = subject.at(fields[kind]);
  if (!field.isSet) field.required(`${fields[kind]} is required when subject kind is '${kind}'`);
  else if (kind === 'ServiceAccount') serviceAccount(subject.at('serviceAccount'));
  else if (subject.at(fields[kind]).at('name').isEmpty) subject.at(fields[kind]).at('name').required();
  for (const other of ['ServiceAccount', 'User', 'Group'] satisfies Kind[])
    if (other !== kind && subject.at(fields[other]).isSet)
      subject.at(fields[other]).forbidden(`${fields[other]} is forbidden when subject kind is not '${other}'`);
}

function serviceAccount(account: Field<ServiceAccountSubject>): void {
  const [name, namespace] = [account.at('name'), account.at('namespace')];
  if (name.isEmpty) name.required();
  else if (name.value !== '*') dnsSubdomain(name);
  if (namespace.isEmpty) namespace.required('must specify namespace for service account');
  else namespace.check(checkDns1123Label);
}

const hasStar = (list: Field<string[]>): boolean => list.value?.includes('*') ?? false;

function verbList(list: Field<string[]>): void {
  const all = list.value ?? [];
  if (all.length === 0) list.required('verbs must contain at least one value');
  else if (hasStar(list)) lonelyStar(list, 'verbs');
  else if (!all.every(verb => verbs.includes(verb))) list.notSupported(verbs, all);
}

function lonelyStar(list: Field<string[]>, others: string): void {
  if (hasStar(list) && (list.value ?? []).length > 1)
    list.invalid(`if '*' is present, must not specify other ${others}`);
}

function resourceRule(rule: Field<ResourcePolicyRule>): void {
  verbList(rule.at('verbs'));
  const [groups, resources, namespaces] = [rule.at('apiGroups'), rule.at('resources'), rule.at('namespaces')];
  if (groups.isEmpty) groups.required('resource rules must supply at least one api group');
  lonelyStar(groups, 'api groups');
  if (resources.isEmpty) resources.required('resource rules must supply at least one resource');
  lonelyStar(resources, 'resources');
  if (namespaces.isEmpty && !rule.value?.clusterScope)
    namespaces.required('resource rules that are not cluster scoped must supply at least one namespace');
  else if (hasStar(namespaces)) lonelyStar(namespaces, 'namespaces');
  else
    for (const namespace of namespaces.items())
      for (const text of checkDns1123Label(namespace.value ?? ''))
        namespace.invalid(`each member of this list must be '*' or a DNS-1123 label; ${text}`);
}

function nonResourceRule(rule: Field<NonResourcePolicyRule>): void {
  verbList(rule.at('verbs'));
  const urls = rule.at('nonResourceURLs');
  if (urls.isEmpty) urls.required('nonResourceURLs must contain at least one value');
  else if (hasStar(urls)) lonelyStar(urls, 'non-resource URLs');
  else
    for (const url of urls.items()) {
      const text = urlError(url.value ?? '');
      if (text !== undefined) url.invalid(text, url.value ?? '');
    }
}

function urlError(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (path === '/') return undefined;
  if (!path.startsWith('/')) return 'must start with slash';
  if (path.includes(' ')) return 'must not contain white-space';
  if (path.includes('//')) return 'must not contain double slash';
  const stars = path.split('*').length - 1;
  const isSound = stars === 0 || (stars === 1 && path.endsWith('/*'));
  return isSound ? undefined : 'wildcard can only do suffix matching';
}

interface Conditioned {
  readonly conditions?: { readonly type?: string }[];
}

/** Validates the conditions of flow schemas and priority levels. */
export function flowConditions(status: Field<Conditioned>): void {
  const seen = new Set<string>();
  for (const condition of status.at('conditions').items()) {
    const type = condition.at('type');
    if (seen.has(type.value ?? '')) type.duplicate();
    seen.add(type.value ?? '');
    if (type.isEmpty) type.required();
  }
}

export const flowSchemaStatusRules: readonly Validate[] = [
  validate<FlowSchema>(schema => flowConditions(schema.at('status'))),
];

export const flowSchemaRules: readonly Validate[] = [
  validate<FlowSchema>(schema => {
    const name = schema.value?.metadata.name ?? '';
    const field = schema.at('spec');
    spec(field, name);
    const fixed = mandatorySchemas.get(name);
    if (fixed && !sameValue(field.value, fixed, field.type))
      field.invalid(`spec of '${name}' must equal the fixed value`, shownInternal('FlowSchemaSpec', field.value));
  }),
  ...flowSchemaStatusRules,
];
