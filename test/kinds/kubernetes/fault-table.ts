/** Runs tables of validation cases of a native kind. A case changes a valid object and lists the expected faults. */
import type { Test } from 'tap';
import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { cloneJson } from '../../../lib/json/clone.js';
import { applyMergePatch } from '../../../apimachinery/patch/merge-patch.js';
import type { Prepare, ResourceDefinition, StrategyContext } from '../../../registry/interface.js';
import { faultsFrom, rulesFor, type WriteRules } from './faults.js';
import { nativeDefinitions } from '../../../kinds/kubernetes/native.js';

export interface FaultCase {
  readonly name: string;
  /** A merge patch of the valid object, or of the stored one if `old` is set. */
  readonly given: object;
  /** For an update: a merge patch that turns the valid object into the stored one. */
  readonly old?: object;
  /** The subresource that is written. */
  readonly part?: string;
  /** Path and text of every fault, in order. */
  readonly expect: readonly (readonly [path: string, message: string])[];
  readonly warnings?: readonly string[];
  /** Expected fields of the prepared object. A field that must be absent is null. */
  readonly leaves?: object;
}

/** Long messages that many rules share. */
export const texts = {
  dns1123Subdomain:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  dns1123Label:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  namePart:
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  labelValue:
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  configKey:
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
  wildcardSubdomain:
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  percent:
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
  natural: 'must be greater than or equal to 0',
} as const;

const now = new Date('2026-01-02T03:04:05Z');

export function definitionOf(group: string, kind: string): ResourceDefinition {
  const found = nativeDefinitions().find(d => d.group === group && d.kind === kind);
  if (!found) throw new Error(`no kind ${group}/${kind}`);
  return found;
}

interface Rules extends WriteRules {
  readonly prepare: readonly Prepare[];
}

function rulesOf({ strategy, subresources }: ResourceDefinition, part: string, isUpdate: boolean): Rules {
  if (part === '') {
    if (!isUpdate) return { prepare: strategy.prepareCreate, ...rulesFor(strategy, 'create') };
    return { prepare: strategy.prepareUpdate, ...rulesFor(strategy, 'update') };
  }
  const found = subresources[part];
  if (found?.type !== 'part') throw new Error(`no part ${part}`);
  return { prepare: found.prepareUpdate, validate: found.validateUpdate, validateLong: found.validateLong };
}

const patched = (object: object, patch: object): KubeObject =>
  applyMergePatch(cloneJson(object) as JsonObject, cloneJson(patch) as JsonObject) as unknown as KubeObject;

export async function faultTable(
  t: Test,
  [group, kind]: readonly [string, string],
  sound: object,
  cases: readonly FaultCase[],
): Promise<void> {
  const definition = definitionOf(group, kind);
  const version = definition.storageVersion;
  const complete = (object: object): KubeObject => {
    const draft = cloneJson(object) as KubeObject;
    (draft.metadata ??= {}).resourceVersion ??= '1';
    definition.defaults?.(draft, version);
    return draft;
  };
  for (const { name, given, old: before, part = '', expect, warnings, leaves } of cases) {
    const isUpdate = before !== undefined || part !== '';
    const old = isUpdate ? complete(patched(sound, before ?? {})) : undefined;
    const draft = complete(patched(old ?? sound, given));
    const warned: string[] = [];
    const context: StrategyContext = {
      ...{ user: { name: 'jane', groups: [] }, operation: isUpdate ? 'update' : 'create', namespace: 'space' },
      ...{ subresource: part, version, dryRun: false, now, warn: (text: string) => void warned.push(text) },
    };
    const rules = rulesOf(definition, part, isUpdate);
    for (const step of rules.prepare) step(draft, old, context);
    const faults = await faultsFrom(rules, draft, old, context);
    if (part === '') for (const rule of definition.strategy.warnings) warned.push(...rule(draft, old));
    t.strictSame(
      faults.map(({ path, message }) => [path, message]),
      expect,
      name,
    );
    if (warnings) t.strictSame(warned, warnings, `${name}: warnings`);
    if (leaves) t.strictSame(patched(draft, leaves), draft, `${name}: the draft`);
  }
}
