/**
 * Faults of stored definitions that are tolerated in updates, so that definitions which an older server has accepted can still be changed.
 * as apiextensions-apiserver/pkg/apis/apiextensions/validation ValidateCustomResourceDefinitionUpdate
 */
import { Strides, type InSteps } from '../../lib/time-slice.js';
import { type DefaultRules, defaultFaults, unpruned } from './default-rules.js';
import { type SchemaProps, itemSchemaOf, schemasBelow } from './schema-props.js';
import { hasManyKeys, presentKeyFaults, setItemFaults } from './extension-rules.js';
import { type Tolerance, knownTypes } from './schema-rules.js';
import { structuralFaults } from './structural.js';
import { unsupportedSteps } from './unsupported.js';

/** Yields a schema, and then all schemas below it. */
export function* schemasIn(root: SchemaProps | undefined): Generator<SchemaProps, void> {
  if (!root) return;
  yield root;
  const open = [schemasBelow(root)];
  for (let last = open.at(-1); last; last = open.at(-1)) {
    const { done, value } = last.next();
    if (done === true) open.pop();
    else {
      yield value;
      open.push(schemasBelow(value));
    }
  }
}

function* isUnstructural(props: SchemaProps): InSteps<boolean> {
  return (yield* unsupportedSteps(props)) !== undefined || (yield* structuralFaults(props, '')).length > 0;
}

/** Returns the tolerated faults for the schemas of a stored definition, in steps. */
export function* toleranceOf(stored: readonly SchemaProps[], rules: DefaultRules): InSteps<Tolerance> {
  let [unstructural, unprunedDefaults, unknownTypes] = [false, false, false];
  let [compositeSets, looseKeys, manyKeys] = [false, false, false];
  for (const root of stored) {
    const isRootUnstructural = yield* isUnstructural(root);
    unstructural ||= isRootUnstructural;
    if (!isRootUnstructural && !unprunedDefaults)
      unprunedDefaults = (yield* defaultFaults(root, '', rules)).some(fault => fault.message.endsWith(unpruned));
    const strides = new Strides();
    for (const props of schemasIn(root)) {
      const { type } = props;
      unknownTypes ||= Boolean(type) && !knownTypes.includes(type ?? '');
      compositeSets ||= isCompositeSet(props);
      looseKeys ||= presentKeyFaults(props, '').length > 0;
      manyKeys ||= hasManyKeys(props);
      if (strides.isOver) yield undefined;
    }
  }
  return { unstructural, unknownTypes, unprunedDefaults, compositeSets, looseKeys, manyKeys };
}

function isCompositeSet(props: SchemaProps): boolean {
  const items = props['x-kubernetes-list-type'] === 'set' ? itemSchemaOf(props) : undefined;
  return items !== undefined && setItemFaults(items, '').length > 0;
}
