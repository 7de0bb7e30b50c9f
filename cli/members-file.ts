/** Reads what `--members` asks for: a number of members that are all the same, or a file that describes each. */
import fs from 'node:fs';
import { parseQuantity } from '../apimachinery/quantity/quantity.js';
import { checkClusterName } from '../kinds/karmada/clusters/cluster-rules.js';
import { durationMs } from '../lib/go/duration.js';
import { isMap } from '../lib/json/is-map.js';
import { readYaml } from '../lib/yaml/read-yaml.js';
import type { Hardware } from '../simulator/cluster/nodes.js';
import { maxDelayMs } from '../simulator/reachability.js';
import { fileErrorTexts } from './file-error-texts.js';
import { didYouMean, invalidFlag, UsageError } from './flags/flags.js';

/** A simulated member. */
export interface DescribedMember {
  readonly name: string;
  readonly hardware: Partial<Hardware>;
  /** Properties of the Cluster. */
  readonly facts: { readonly provider?: string; readonly region?: string; readonly zones?: string[] };
  readonly labels: Readonly<Record<string, string>>;
  readonly syncMode: 'Push' | 'Pull';
  /** Milliseconds that every request to the member waits. */
  readonly latencyMs: number;
}

const maxMembers = 100;
const maxNodes = 1000;
const fieldNames = ['name', 'nodes', 'capacity', 'provider', 'region', 'zones', 'labels', 'syncMode', 'latency'];
const capacityNames = ['cpu', 'memory', 'pods'] as const;

/** Reads one entry of the file. */
class EntryReader {
  readonly #where: string;
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(where: string, fields: Readonly<Record<string, unknown>>) {
    this.#where = where;
    this.#fields = fields;
  }

  read(): DescribedMember {
    this.#knownNames(this.#fields, fieldNames, '');
    const name = this.#text('name');
    const [fault] = checkClusterName(name);
    if (fault !== undefined) throw this.#fault('name', fault);
    const [provider, region] = [this.#text('provider'), this.#text('region')];
    const zones = this.#zones();
    return {
      ...{ name, hardware: this.#hardware(), labels: this.#labels(), syncMode: this.#syncMode() },
      facts: { ...(provider && { provider }), ...(region && { region }), ...(zones.length > 0 && { zones }) },
      latencyMs: this.#latency(),
    };
  }

  #fault(field: string, why: string): UsageError {
    return new UsageError(`${this.#where}.${field}: ${why}`);
  }

  #knownNames(map: object, known: readonly string[], prefix: string): void {
    for (const name of Object.keys(map))
      if (!known.includes(name)) throw this.#fault(prefix + name, `unknown field${didYouMean(name, known)}`);
  }

  #text(field: string): string {
    const value = this.#fields[field] ?? '';
    if (typeof value !== 'string') throw this.#fault(field, 'want text');
    return value;
  }

  #zones(): string[] {
    const value = this.#fields['zones'] ?? [];
    if (!Array.isArray(value) || !value.every(each => typeof each === 'string'))
      throw this.#fault('zones', 'want a list of texts');
    return value;
  }

  #labels(): Record<string, string> {
    const value = this.#fields['labels'] ?? {};
    if (!isMap(value) || !Object.values(value).every(each => typeof each === 'string'))
      throw this.#fault('labels', 'want texts by their names');
    return value as Record<string, string>;
  }

  #syncMode(): 'Push' | 'Pull' {
    const value = this.#fields['syncMode'] ?? 'Push';
    if (value !== 'Push' && value !== 'Pull') throw this.#fault('syncMode', 'want Push or Pull');
    return value;
  }

  #latency(): number {
    const text = this.#text('latency');
    if (text === '') return 0;
    let ms: number;
    try {
      ms = durationMs(text);
    } catch {
      throw this.#fault('latency', 'want a duration like 30ms');
    }
    if (ms < 0 || ms > maxDelayMs) throw this.#fault('latency', `want up to ${maxDelayMs}ms`);
    return ms;
  }

  #hardware(): Partial<Hardware> {
    const { nodes } = this.#fields;
    if (nodes !== undefined && !(Number.isInteger(nodes) && Number(nodes) >= 0 && Number(nodes) <= maxNodes))
      throw this.#fault('nodes', `want a whole number up to ${maxNodes}`);
    const capacity = this.#fields['capacity'] ?? {};
    if (!isMap(capacity)) throw this.#fault('capacity', 'want cpu, memory and pods of each node');
    this.#knownNames(capacity, capacityNames, 'capacity.');
    const hardware: Record<string, string | number> = nodes === undefined ? {} : { nodes: Number(nodes) };
    for (const name of capacityNames) {
      const value = capacity[name];
      if (value === undefined) continue;
      const text = typeof value === 'number' ? String(value) : value;
      if (typeof text !== 'string' || !isQuantity(text)) throw this.#fault(`capacity.${name}`, 'want a quantity');
      hardware[name] = text;
    }
    return hardware;
  }
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}

const usual = (name: string): DescribedMember => ({
  ...{ name, hardware: {}, facts: {}, labels: {}, syncMode: 'Push', latencyMs: 0 },
});

function readMembersFile(file: string): readonly DescribedMember[] {
  let text: string;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw invalidFlag('members', file, `want a number or a file: ${fileErrorTexts[code] ?? message}`);
  }
  const read = readYaml(text);
  if (read.type === 'error') throw new UsageError(`${file}: ${read.text}`);
  const list = isMap(read.value) ? read.value['members'] : undefined;
  if (!Array.isArray(list)) throw new UsageError(`${file}: want a list "members"`);
  if (list.length > maxMembers) throw new UsageError(`${file}: want up to ${maxMembers} members`);
  const members = list.map((entry: unknown, i) => {
    const where = `${file}: members[${i}]`;
    if (!isMap(entry)) throw new UsageError(`${where}: want the fields of a member`);
    return new EntryReader(where, entry).read();
  });
  const names = new Set<string>();
  for (const { name } of members) {
    if (names.has(name)) throw new UsageError(`${file}: two members are named ${name}`);
    names.add(name);
  }
  return members;
}

/** Reads the value of `--members`, a number or the name of a file. Throws UsageError. */
export function parseMembers(text: string): readonly DescribedMember[] {
  if (!/^[+-]?[\d.]+$/.test(text)) return readMembersFile(text);
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0 || count > maxMembers)
    throw invalidFlag('members', text, `want a whole number up to ${maxMembers}`);
  return Array.from({ length: count }, (_, i) => usual(`member${i + 1}`));
}
