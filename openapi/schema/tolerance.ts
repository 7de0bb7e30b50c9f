/**
 * What was wrong with the schemas of a definition already and may stay wrong: definitions that an older server accepted can still be changed.
 * as apiextensions-apiserver/pkg/apis/apiextensions/validation ValidateCustomResourceDefinitionUpdate
 */
import { type DefaultRules, defaultFaults, unpruned } from './default-rules.js';
import { type SchemaProps, itemsOf, unsupportedText } from './schema-props.js';
import { presentKeyFaults, setItemFaults } from './extension-rules.js';
import { type Tolerance, knownTypes } from './schema-rules.js';
import { structuralFaults } from './structural.js';

/** Every schema at or below one, itself first. */
export function* schemasIn(props: SchemaProps | undefined): Iterable<SchemaProps> {
  if (!props) return;
  yield props;
  const { allOf = [], anyOf = [], oneOf = [], not, items, properties, patternProperties, definitions } = props;
  const { additionalProperties: more, additionalItems: rest, dependencies } = props;
  const named = [properties, patternProperties, definitions, dependencies].flatMap(each => Object.values(each ?? {}));
  const below: readonly unknown[] = [[items].flat(), allOf, anyOf, oneOf, not, more, rest, ...named].flat();
  for (const each of below) if (typeof each === 'object') yield* schemasIn(each as SchemaProps);
}

const isUnstructural = (props: SchemaProps): boolean =>
  unsupportedText(props) !== undefined || structuralFaults(props, '').length > 0;

/** Of all schemas of a definition as it was stored. */
export function toleranceOf(stored: readonly SchemaProps[], rules: DefaultRules): Tolerance {
  const all = stored.flatMap(props => [...schemasIn(props)]);
  return {
    unstructural: stored.some(isUnstructural),
    unknownTypes: all.some(({ type }) => Boolean(type) && !knownTypes.includes(type ?? '')),
    unprunedDefaults: stored.some(
      props =>
        !isUnstructural(props) && defaultFaults(props, '', rules).some(fault => fault.message.endsWith(unpruned)),
    ),
    compositeSets: all.some(props => {
      const items = props['x-kubernetes-list-type'] === 'set' ? itemsOf(props) : undefined;
      return items !== undefined && setItemFaults(items, '').length > 0;
    }),
    looseKeys: all.some(props => presentKeyFaults(props, '').length > 0),
  };
}
