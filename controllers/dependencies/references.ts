import type { KubeObject } from '../../apimachinery/interface.js';
import { goJson } from '../../lib/go/go-text.js';
import { selectorOf } from '../../apimachinery/selectors/label-selectors.js';
import { annotations } from '../../api/karmada/well-known.js';
import type { DependentReference } from '../interpreter/interface.js';
import { templateKey, type TemplateKey, type TemplatePlace } from '../policy/templates.js';

/** Returns the dependencies recorded in a binding's annotation; none if it is absent or malformed. */
export function recordedReferences({ metadata }: KubeObject): readonly DependentReference[] {
  const text = metadata.annotations?.[annotations.dependencies];
  if (text === undefined) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? (parsed as DependentReference[]) : [];
  } catch {
    return []; // The annotation can be edited by hand: admission does not validate it.
  }
}

/** Returns the annotation's text in the field order of Go's JSON; `null` without references, as Go writes a nil slice. */
export function referencesText(references: readonly DependentReference[]): string {
  if (references.length === 0) return 'null';
  return goJson(
    references.map(({ apiVersion, kind, namespace, name, labelSelector }) => ({
      apiVersion,
      kind,
      ...(namespace ? { namespace } : {}),
      ...(name ? { name } : {}),
      ...(labelSelector ? { labelSelector } : {}),
    })),
  );
}

/** Returns the references as Go's `%+v` prints them, for events. */
export function referencesShown(references: readonly DependentReference[]): string {
  const shown = references.map(({ apiVersion, kind, namespace = '', name = '', labelSelector }) => {
    const selector = labelSelector ? goJson(labelSelector) : 'nil';
    return `{APIVersion:${apiVersion} Kind:${kind} Namespace:${namespace} Name:${name} LabelSelector:${selector}}`;
  });
  return `[${shown.join(' ')}]`;
}

/** Reports whether the reference selects the object. Throws if its label selector is invalid. */
export function refersTo(reference: DependentReference, object: KubeObject): boolean {
  const { apiVersion, kind, namespace = '', name, labelSelector } = reference;
  const { metadata } = object;
  if (apiVersion !== object.apiVersion || kind !== object.kind || namespace !== (metadata.namespace ?? ''))
    return false;
  return name ? name === metadata.name : selectorOf(labelSelector).matches(metadata.labels);
}

/** Returns the index key of a reference: of one object, or of all objects of a kind in a namespace. */
export const lookupKey = ({ apiVersion, kind, namespace = '', name = '' }: DependentReference): TemplateKey =>
  templateKey({ apiVersion, kind, namespace, name });

/** Returns the index keys of all references that may select an object. */
export const lookupKeysOf = (at: TemplatePlace): readonly TemplateKey[] => {
  const { apiVersion, kind, namespace } = at;
  return [templateKey(at), templateKey({ apiVersion, kind, namespace })];
};
