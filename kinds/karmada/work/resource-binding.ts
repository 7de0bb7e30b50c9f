/** Fills in and validates ResourceBindings and ClusterResourceBindings. */
import { parseJson } from '../../../lib/json/json.js';
import type { Field } from '../../shared/rules/field.js';
import { ruleRefusal } from '../refusal.js';
import type { Mutate, WebhookRule } from '../rules.js';
import type { Binding, Component } from '../../../api/karmada/types.js';
import { annotations, labels } from '../../../api/karmada/well-known.js';

const identify =
  (label: string): Mutate<Binding> =>
  ({ metadata }, _old, { newId }) => {
    (metadata.labels ??= {})[label] ||= newId();
  };

export const identifyBinding: Mutate<Binding> = identify(labels.resourceBindingId);
export const identifyClusterBinding: Mutate<Binding> = identify(labels.clusterResourceBindingId);

const isReference = (value: unknown): boolean =>
  value === null ||
  (typeof value === 'object' &&
    !Array.isArray(value) &&
    (['apiVersion', 'kind', 'namespace', 'name'] as const).every(field => {
      const text = (value as Record<string, unknown>)[field] ?? '';
      return typeof text === 'string';
    }));

/** Reports whether a text is a JSON list of references. */
function areReferences(text: string): boolean {
  try {
    const value = parseJson(text);
    return value === null || (Array.isArray(value) && value.every(isReference));
  } catch {
    return false;
  }
}

/** Refuses an annotation with dependencies that is no JSON list of references; it may be absent. */
export const validateDependencies: WebhookRule<Binding> = object =>
  ruleRefusal<Binding>(object, root => {
    const note = root.at('metadata').at('annotations').entry(annotations.dependencies);
    if (note.isSet && !areReferences(note.value ?? ''))
      note.as(`metadata.annotations.${annotations.dependencies}`).invalid('annotation value must be a valid JSON');
  });

function componentNames(components: Field<Component[]>): void {
  const seen = new Set<string>();
  for (const component of components.items()) {
    const name = component.at('name');
    if (name.isEmpty) name.invalid('component names must be non-empty', '');
    else if (seen.has(name.value ?? '')) name.invalid('component names must be unique');
    seen.add(name.value ?? '');
  }
}

/** Applies only with the feature gate MultiplePodTemplatesScheduling. */
export const validateComponents: WebhookRule<Binding> = (object, _old, { gates }) =>
  gates.MultiplePodTemplatesScheduling
    ? ruleRefusal<Binding>(object, root => componentNames(root.at('spec').at('components')))
    : undefined;
