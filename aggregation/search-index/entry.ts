/** Computes what the search index holds of an object. */
import type { KubeObject } from '../../apimachinery/interface.js';
import { lastAppliedAnnotation } from '../../apimachinery/patch/last-applied.js';
import { isMap } from '../../lib/json/is-map.js';
import { type SearchHealth, searchHealthOf } from './health.js';
import { wordsOf } from './words.js';

/** The fields of terms, as users write them in queries. `word` is the full text. */
export type IndexedField = 'word' | 'name' | 'namespace' | 'label' | 'image' | 'health';

export interface IndexEntry {
  readonly namespace: string;
  readonly health: SearchHealth;
  /** Each has its field and its text, see `termOf`. */
  readonly terms: ReadonlySet<string>;
}

/** Maximum numbers of terms of an object, of values that are read for them, and of characters of one value. */
const maxTerms = 200;
const maxValues = 2000;
const maxValue = 256;

/** Properties without text that a user would search for. */
const skipped = new Set([
  'managedFields',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'binaryData',
  'ownerReferences',
]);
const time = /^\d{4}-\d\d-\d\dT/;

/** Returns a term of the index. Letters count in lower case. */
export const termOf = (field: IndexedField, text: string): string =>
  `${field}:${text.slice(0, maxValue).toLowerCase().slice(0, maxValue)}`;

class Terms {
  readonly found = new Set<string>();
  #values = 0;

  get isFull(): boolean {
    return this.found.size >= maxTerms || this.#values >= maxValues;
  }

  add(field: IndexedField, text: string): void {
    this.found.add(termOf(field, text));
  }

  addWords(text: string): void {
    this.#values++;
    if (time.test(text)) return;
    for (const word of wordsOf(text.slice(0, maxValue))) {
      if (this.isFull) return;
      this.found.add(`word:${word}`);
    }
  }

  /** Adds the words of all strings in a value; those near its root come first. */
  addValue(value: unknown): void {
    const waiting: unknown[] = [value];
    for (let next = 0; next < waiting.length && !this.isFull; next++) {
      const each = waiting[next];
      if (typeof each === 'string') this.addWords(each);
      else if (Array.isArray(each) && waiting.length < maxValues)
        waiting.push(...(each as unknown[]).slice(0, maxValues));
      else if (isMap(each)) {
        for (const key in each) {
          if (waiting.length >= maxValues) break;
          if (!skipped.has(key)) waiting.push(each[key]);
        }
      }
    }
  }
}

/** A member may answer with values of any type; those that are no texts count as ''. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the repository of an image: without its tag and digest. */
function repositoryOf(image: string): string {
  // A member decides the length of the text.
  const [name = ''] = image.slice(0, maxValue).split('@', 1);
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
  return colon < 0 ? name : name.slice(0, colon);
}

interface Containers {
  readonly containers?: unknown;
  readonly initContainers?: unknown;
}

/** Yields the images of a Pod, or of the template of a workload. */
function* imagesOf(object: KubeObject): Generator<string> {
  const spec = object['spec'];
  if (!isMap(spec)) return;
  const { template, jobTemplate } = spec as { readonly template?: unknown; readonly jobTemplate?: unknown };
  const job = isMap(jobTemplate) && isMap(jobTemplate['spec']) ? jobTemplate['spec']['template'] : undefined;
  const pod = template ?? job;
  const { containers, initContainers } = (isMap(pod) ? (pod['spec'] ?? {}) : spec) as Containers;
  for (const list of [initContainers, containers])
    if (Array.isArray(list))
      for (const container of list as readonly unknown[])
        if (isMap(container) && typeof container['image'] === 'string') yield container['image'];
}

/** Returns the entry of an object. It is bounded, whatever the size of the object; the values of Secrets are not in it. */
export function entryOf(object: KubeObject): IndexEntry {
  const { metadata, apiVersion: _type, kind, ...rest } = object;
  const { labels, annotations } = metadata;
  const name = textOf(metadata.name);
  const namespace = textOf(metadata.namespace);
  const health = searchHealthOf(object);
  const terms = new Terms();
  terms.add('name', name);
  if (namespace !== '') terms.add('namespace', namespace);
  terms.add('health', health);
  terms.addWords(name);
  terms.addWords(namespace);
  for (const key in labels) {
    if (terms.isFull) break;
    const value = textOf(labels[key]);
    terms.add('label', key);
    terms.add('label', `${key}=${value}`);
    terms.addWords(value);
  }
  for (const image of imagesOf(object)) {
    if (terms.isFull) break;
    terms.add('image', image);
    terms.add('image', repositoryOf(image));
    terms.addWords(image);
  }
  for (const key in annotations) if (key !== lastAppliedAnnotation) terms.addWords(textOf(annotations[key]));
  if (kind !== 'Secret') terms.addValue(rest);
  return { namespace, health, terms: terms.found };
}
