import { faultsText } from '../../apimachinery/errors/status.js';
import { readYaml } from '../../lib/yaml/read-yaml.js';
import { type AuditPolicy, policyFaults } from './policy.js';

type Type = 'text' | 'boolean' | 'texts' | Shape | readonly [Shape];
interface Shape {
  readonly [field: string]: Type;
}

const groupResources: Shape = { group: 'text', resources: 'texts', resourceNames: 'texts' };
const rule: Shape = {
  level: 'text',
  users: 'texts',
  userGroups: 'texts',
  verbs: 'texts',
  resources: [groupResources],
  namespaces: 'texts',
  nonResourceURLs: 'texts',
  omitStages: 'texts',
  omitManagedFields: 'boolean',
};
const policyShape: Shape = {
  apiVersion: 'text',
  kind: 'text',
  metadata: {},
  rules: [rule],
  omitStages: 'texts',
  omitManagedFields: 'boolean',
};

const join = (path: string, field: string): string => (path === '' ? field : `${path}.${field}`);

/** Returns all differences from the shape. Metadata may be anything. */
function shapeFaults(value: unknown, shape: Shape, path: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [`${path || 'policy'}: must be a map`];
  return Object.entries(value).flatMap(([field, given]: [string, unknown]) => {
    const fieldPath = join(path, field);
    const expected = Object.hasOwn(shape, field) ? shape[field] : undefined;
    if (expected === undefined) return [`${fieldPath}: unknown field`];
    if (given === null || field === 'metadata') return [];
    if (expected === 'text') return typeof given === 'string' ? [] : [`${fieldPath}: must be a string`];
    if (expected === 'boolean') return typeof given === 'boolean' ? [] : [`${fieldPath}: must be true or false`];
    if (typeof expected === 'object' && !Array.isArray(expected))
      return shapeFaults(given, expected as Shape, fieldPath);
    if (!Array.isArray(given)) return [`${fieldPath}: must be a list`];
    return given.flatMap((item: unknown, i) => {
      const itemPath = `${fieldPath}[${i}]`;
      if (expected === 'texts') return typeof item === 'string' ? [] : [`${itemPath}: must be a string`];
      return shapeFaults(item, (expected as readonly [Shape])[0], itemPath);
    });
  });
}

const apiVersion = 'audit.k8s.io/v1';

/**
 * Reads a policy from the text of its file, YAML or JSON. Throws an Error with a message of one line.
 * as apiserver/pkg/audit/policy/reader.go LoadPolicyFromBytes
 * differs: unknown fields are refused where upstream warns, since a rule with a misspelt field would record too much or too little.
 */
export function readPolicy(text: string): AuditPolicy {
  const parsed = readYaml(text);
  if (parsed.type === 'error') throw new Error(parsed.text);
  const value = parsed.value as Record<string, unknown> | null;
  if (value?.['apiVersion'] !== apiVersion || value['kind'] !== 'Policy')
    throw new Error(`want apiVersion ${apiVersion} and kind Policy`);
  const [fault] = shapeFaults(value, policyShape, '');
  if (fault !== undefined) throw new Error(fault);
  const policy = parsed.value as AuditPolicy;
  const rules = (policy.rules as AuditPolicy['rules'] | null | undefined) ?? [];
  const faults = policyFaults({ ...policy, rules });
  if (faults.length > 0) throw new Error(faultsText(faults));
  if (rules.length === 0) throw new Error('loaded illegal policy with 0 rules');
  return { ...policy, rules };
}
