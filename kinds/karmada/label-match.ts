import {
  type LabelSelector,
  nothing,
  type Selector,
  selectorOf,
} from '../../apimachinery/selectors/label-selectors.js';

const compiled = new WeakMap<LabelSelector, Selector>();

/** Whether a selector of a policy matches labels. Compiled once per object; one that is invalid (admission refuses those) matches nothing. */
export function labelsMatch(selector: LabelSelector, labels: Readonly<Record<string, string>> | undefined): boolean {
  let known = compiled.get(selector);
  if (!known) {
    try {
      known = selectorOf(selector);
    } catch {
      known = nothing;
    }
    compiled.set(selector, known);
  }
  return known.matches(labels);
}
