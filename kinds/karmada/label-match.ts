import {
  type LabelSelector,
  nothing,
  type Selector,
  selectorOf,
} from '../../apimachinery/selectors/label-selectors.js';

const compiled = new WeakMap<LabelSelector, Selector>();

/**
 * Reports whether a policy's selector matches labels. Compiled once per object; an invalid selector (admission refuses those) matches nothing.
 */
export function labelsMatch(selector: LabelSelector, labels: Readonly<Record<string, string>> | undefined): boolean {
  let selectorOrNull = compiled.get(selector);
  if (!selectorOrNull) {
    try {
      selectorOrNull = selectorOf(selector);
    } catch {
      selectorOrNull = nothing;
    }
    compiled.set(selector, selectorOrNull);
  }
  return selectorOrNull.matches(labels);
}
