import type { RepeatedKey } from './interface.js';
import type { YamlNode } from './node.js';
import type { ValueFaults } from './value-faults.js';

type Key = string | number | bigint | boolean;

const isMergeable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Formats a float key as Go writes it into JSON: with the digits of a 32-bit float. */
// as sigs.k8s.io/yaml convertToJSONableObject
function floatKey(key: number): string {
  if (Number.isNaN(key)) return '.nan';
  if (!Number.isFinite(key)) return key > 0 ? '.inf' : '-.inf';
  const [digits = '', power = '0'] = key.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(key);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

const textOf = (key: Key): string => (typeof key === 'number' && !Number.isInteger(key) ? floatKey(key) : String(key));

/** Formats a value roughly as `%+#v`. differs: the contents of maps and lists are left out. */
function shown(value: unknown): string {
  if (value === null) return '<nil>';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object') return String(value);
  return Array.isArray(value) ? '[]interface {}{}' : 'map[string]interface {}{}';
}

/** The number of duplicate keys that are reported: each becomes a warning. */
const maxRepeated = 100;

/** Builds a JSON map pair by pair. Keys become strings; the later value of a duplicate key counts. */
export class MapBuilder {
  readonly value: Record<string, unknown> = {};
  readonly #repeated: RepeatedKey[];
  readonly #faults: ValueFaults;
  readonly #keys = new Set<Key>();

  /** `repeated` receives duplicate keys, `faults` the errors of keys. */
  constructor(repeated: RepeatedKey[], faults: ValueFaults) {
    this.#repeated = repeated;
    this.#faults = faults;
  }

  set(key: YamlNode, value: YamlNode): void {
    if (key.isPlain && key.value === '<<') return this.#merge(value);
    const name = this.#keyOf(key, value);
    if (name === undefined) return;
    const before = this.#keys.size;
    this.#keys.add(name);
    if (this.#keys.size === before && this.#repeated.length < maxRepeated)
      this.#repeated.push({ key: name, line: value.line + 1 });
    this.#put(textOf(name), value.value);
  }

  // differs: Go shows the contents of a key that is a map or a list.
  #keyOf({ type, value: key }: YamlNode, { value }: YamlNode): Key | undefined {
    if (type === 'list') this.#faults.decoding('invalid map key: []interface {}{}');
    else if (type === 'map') this.#faults.decoding('invalid map key: map[interface {}]interface {}{}');
    else if (key === null)
      this.#faults.json(`unsupported map key of type: %!s(<nil>), key: <nil>, value: ${shown(value)}`);
    else return key as Key;
    return undefined;
  }

  #put(name: string, value: unknown): void {
    if (name === '__proto__')
      Object.defineProperty(this.value, name, { value, writable: true, enumerable: true, configurable: true });
    else this.value[name] = value;
  }

  /** Merges maps. Later keys of the document take precedence over merged ones; of a list of maps the first one does. */
  // as go.yaml.in/yaml/v2 decoder.merge
  #merge({ value }: YamlNode): void {
    const maps: unknown[] = Array.isArray(value) ? [...(value as unknown[])].reverse() : [value];
    for (const map of maps) {
      if (!isMergeable(map)) return this.#faults.decoding('map merge requires map or sequence of maps as the value');
      for (const [name, each] of Object.entries(map)) this.#put(name, each);
    }
  }
}
