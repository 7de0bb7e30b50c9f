import type { KubeObject } from '../../apimachinery/interface.js';
import type { Refuse } from './read-json.js';

type Plain = Readonly<Record<string, unknown>>;

const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const texts = ['name', 'namespace', 'resourceVersion', 'uid', 'generateName', 'deletionTimestamp'] as const;
const maps = ['labels', 'annotations'] as const;

/** Maximum characters of these texts; a name has at most 253 characters, a version some twenty digits. */
const maxTextLength = 1024;

function checkMap(field: string, map: unknown, refuse: Refuse): void {
  if (map === undefined || map === null) return;
  if (!isPlain(map)) return refuse(`metadata.${field} is not a map`);
  for (const key in map) if (typeof map[key] !== 'string') refuse(`metadata.${field} has a value that is not text`);
}

/**
 * Returns an object of another server after a check that its metadata have the right types, on which all code relies. Code that reads spec and
 * status has to check them itself. hot: called once per item and event.
 */
export function receivedObject(value: unknown, refuse: Refuse): KubeObject {
  if (!isPlain(value)) return refuse('it is not an object');
  const { metadata } = value;
  if (!isPlain(metadata)) return refuse('it has no metadata');
  for (const field of texts) {
    const text = metadata[field];
    if (text !== undefined && text !== null && (typeof text !== 'string' || text.length > maxTextLength))
      refuse(`metadata.${field} is not a text of at most ${maxTextLength} characters`);
  }
  for (const field of maps) checkMap(field, metadata[field], refuse);
  const { finalizers, ownerReferences } = metadata;
  if (finalizers !== undefined && finalizers !== null && !isListOf(finalizers, each => typeof each === 'string'))
    refuse('metadata.finalizers is not a list of texts');
  if (ownerReferences !== undefined && ownerReferences !== null && !isListOf(ownerReferences, isPlain))
    refuse('metadata.ownerReferences is not a list of objects');
  return value as KubeObject;
}

const isListOf = (value: unknown, is: (each: unknown) => boolean): boolean => Array.isArray(value) && value.every(is);

/** As `receivedObject`, for objects that must have a name: items of lists and objects of watch events. */
export function receivedItem(value: unknown, refuse: Refuse): KubeObject {
  const object = receivedObject(value, refuse);
  if (!object.metadata.name) refuse('an object has no name');
  return object;
}
