import type { KubeObject } from '../../apimachinery/interface.js';
import { goJson } from '../../lib/go/go-text.js';
import { selectorOf } from '../../apimachinery/selectors/label-selectors.js';
import { annotations } from '../../api/karmada/well-known.js';
import type { DependentReference } from '../interpreter/interface.js';
import { templateKey, type TemplateKey, type TemplatePlace } from '../policy/templates.js';

/** What a binding's annotation says that its template needs; none when it says nothing that can be read. */
export function recordedReferences({ metadata }: KubeObject): readonly DependentReference[] {
  const text = metadata.annotations?.[annotations.dependencies];
  if (text === undefined) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? (parsed as DependentReference[]) : [];
  } catch {
    return []; // written by hand, past admission
  }
}

/** The annotation's text, field by field as Go writes the type; no references are its nil. */
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

/** Go's `%+v` of the references, for events. */
export function referencesShown(references: readonly DependentReference[]): string {
  const shown = references.map(({ apiVersion, kind, namespace = '', name = '', labelSelector }) => {
    const selector = labelSelector ? goJson(labelSelector) : 'nil';
    return `{APIVersion:${apiVersion} Kind:${kind} Namespace:${namespace} Name:${name} LabelSelector:${selector}}`;
  });
  return `[${shown.join(' ')}]`;
}

/** Is the object one that the reference means? Throws where a label selector is not one. */
export function refersTo(reference: DependentReference, object: KubeObject): boolean {
  const { apiVersion, kind, namespace = '', name, labelSelector } = reference;
  const { metadata } = object;
  if (apiVersion !== object.apiVersion || kind !== object.kind || namespace !== (metadata.namespace ?? ''))
    return false;
  return name ? name === metadata.name : selectorOf(labelSelector).matches(metadata.labels);
}

/** Under what a reference is looked up: one object, or all objects of a kind in a namespace. */
export const lookupKey = ({ apiVersion, kind, namespace = '', name = '' }: DependentReference): TemplateKey =>
  templateKey({ apiVersion, kind, namespace, name });

/** Under what the references to an object are found. */
export const lookupKeysOf = (at: TemplatePlace): readonly TemplateKey[] => {
  const { apiVersion, kind, namespace } = at;
  return [templateKey(at), templateKey({ apiVersion, kind, namespace })];
};
