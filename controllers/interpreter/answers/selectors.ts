/** Reads the selectors in what scripts and webhooks return. Their labels and values are counted before they are looked at. */
import type { JsonObject } from '../../../apimachinery/interface.js';
import type { LabelExpression, LabelSelector } from '../../../apimachinery/selectors/label-selectors.js';
import { isMap } from '../../../lib/json/is-map.js';
import { field, isText, isTextList, isTexts, goTypeName, maxEntries, refuseMany, typeFault } from './fields.js';

const isList = (value: unknown): value is unknown[] => Array.isArray(value);

const listIn = (map: JsonObject, name: string, path: string): readonly unknown[] =>
  field(map, name, path, isList)[name] ?? [];

/** Returns the number of expressions with their values. */
const sizeOf = (expressions: readonly unknown[]): number =>
  expressions.reduce<number>(
    (sum, item) => sum + 1 + (isMap(item) && isList(item['values']) ? item['values'].length : 0),
    0,
  );

/** Returns a LabelSelectorRequirement or a NodeSelectorRequirement: `path` is its type. As in Go, null is one without fields. */
function expressionOf(item: unknown, path: string): LabelExpression {
  const map = item ?? {};
  if (!isMap(map)) throw typeFault(goTypeName(map), path);
  const { key = '' } = field(map, 'key', path, isText);
  const { operator = '' } = field(map, 'operator', path, isText);
  return { key, operator, ...field(map, 'values', path, isTextList) };
}

/** Returns a LabelSelector. `name` names it in errors. Throws TypeFault, and ExpectedError for too many labels and values. */
export function labelSelectorOf(map: JsonObject, name: string): LabelSelector & JsonObject {
  const path = 'LabelSelector';
  const { matchLabels: labels } = field(map, 'matchLabels', path, isMap);
  const expressions = listIn(map, 'matchExpressions', path);
  const length = Object.keys(labels ?? {}).length + sizeOf(expressions);
  refuseMany({ length }, maxEntries, `labels and values in ${name}`);
  return {
    ...field(map, 'matchLabels', path, isTexts),
    ...(expressions.length > 0 && {
      matchExpressions: expressions.map(item => expressionOf(item, 'LabelSelectorRequirement')),
    }),
  };
}

/** Returns the NodeSelector of a replica. Throws TypeFault, and ExpectedError for too many terms and values. */
export function nodeSelectorOf(map: JsonObject): JsonObject {
  const items = listIn(map, 'nodeSelectorTerms', 'NodeSelector');
  refuseMany(items, maxEntries, 'terms in a node affinity');
  const terms = items.map((item): Record<string, readonly unknown[]> => {
    const term = item ?? {};
    if (!isMap(term)) throw typeFault(goTypeName(term), 'NodeSelectorTerm');
    const lists = ['matchExpressions', 'matchFields'].map(
      name => [name, listIn(term, name, 'NodeSelectorTerm')] as const,
    );
    return Object.fromEntries(lists.filter(([, list]) => list.length > 0));
  });
  const length = terms.reduce((sum, term) => sum + 1 + sizeOf(Object.values(term).flat()), 0);
  refuseMany({ length }, maxEntries, 'terms and values in a node affinity');
  const expressionsOf = (list: readonly unknown[]): LabelExpression[] =>
    list.map(item => expressionOf(item, 'NodeSelectorRequirement'));
  const nodeSelectorTerms = terms.map(term =>
    Object.fromEntries(Object.entries(term).map(([name, list]) => [name, expressionsOf(list)])),
  );
  return { nodeSelectorTerms };
}
