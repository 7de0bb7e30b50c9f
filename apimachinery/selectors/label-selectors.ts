/** Label selectors: their string syntax and LabelSelector objects, compiled to one form. as apimachinery/pkg/labels */
import {
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  holds,
  requirementFaults,
  requirementText,
} from './label-requirement.js';
import { readRequirements } from './label-syntax.js';
import { badRequest, faultsText } from '../errors/status.js';
import { ownValue } from '../../lib/collections/own-value.js';

/** A compiled selector. All requirements hold, or nothing is matched at all. */
export interface Selector {
  /** Sorted by key. */
  readonly requirements: readonly LabelRequirement[];
  /** Matches everything. */
  readonly empty: boolean;
  /** Matches nothing, whatever the requirements say: a LabelSelector that is absent. */
  readonly nothing: boolean;
  matches(labels: Labels | undefined): boolean;
  /** The one value that the label must have, if there is only one: for indexes. */
  exactMatch(key: string): string | undefined;
  /** The selector in string syntax. */
  toString(): string;
}

/** meta/v1 LabelSelector. */
export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly LabelExpression[];
}

export interface LabelExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

const none: Labels = Object.freeze({});

function compile(unsorted: readonly LabelRequirement[]): Selector {
  const requirements = [...unsorted].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return {
    requirements,
    empty: requirements.length === 0,
    nothing: false,
    matches: labels => requirements.every(r => holds(r, labels ?? none)),
    exactMatch: wanted => {
      const r = requirements.find(x => x.key === wanted);
      const exact = r && r.values.length === 1 && ['=', '==', 'in'].includes(r.operator);
      return exact ? r.values[0] : undefined;
    },
    toString: () => requirements.map(requirementText).join(','),
  };
}

export const everything: Selector = compile([]);

export const nothing: Selector = {
  requirements: [],
  empty: false,
  nothing: true,
  matches: () => false,
  exactMatch: () => undefined,
  toString: () => '',
};

/** All of these labels with these values, unchecked. */
export function selectorOfLabels(labels: Labels): Selector {
  return compile(Object.entries(labels).map(([key, value]) => ({ key, operator: '=', values: [value] })));
}

// --- the string syntax ----------------------------------------------------------------------------------------

/** The string syntax, or the text of what is wrong with it. */
export function readSelector(text: string): Selector | { readonly error: string } {
  const found = readRequirements(text);
  return 'error' in found ? found : compile(found);
}

/** The string syntax (`a=b,c in (d,e),!f,g>5`). Throws 400 with upstream's text. */
export function parseSelector(text: string): Selector {
  const found = readSelector(text);
  if ('error' in found) throw badRequest(found.error);
  return found;
}

// --- LabelSelector objects ------------------------------------------------------------------------------------

const objectOperators: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

/**
 * A LabelSelector object compiled: absent matches nothing, empty matches everything.
 * Throws plain Error with upstream's text when it is invalid (validated objects are not). as meta/v1 LabelSelectorAsSelector
 */
export function selectorOf(selector: LabelSelector | null | undefined): Selector {
  if (selector == null) return nothing;
  const requirements: LabelRequirement[] = [];
  for (const key of Object.keys(selector.matchLabels ?? {}).sort())
    requirements.push({ key, operator: '=', values: [selector.matchLabels?.[key] ?? ''] });
  for (const e of selector.matchExpressions ?? []) {
    const operator = ownValue(objectOperators, e.operator);
    if (!operator) throw new Error(`"${e.operator}" is not a valid label selector operator`);
    requirements.push({ key: e.key, operator, values: e.values ?? [] });
  }
  if (requirements.length === 0) return everything;
  for (const r of requirements) {
    const faults = requirementFaults(r, r.values.length === 0 ? null : r.values);
    if (faults.length > 0) throw new Error(faultsText(faults));
  }
  return compile(requirements);
}
