/** Compiles label selectors, from their string syntax and from LabelSelector objects. as apimachinery/pkg/labels */
import {
  type LabelRequirement,
  type Labels,
  matchesRequirement,
  requirementFaults,
  requirementText,
  selectorOperators,
} from './label-requirement.js';
import { readRequirements } from './label-syntax.js';
import { badRequest, faultsText } from '../errors/status.js';
import { ownValue } from '../../lib/collections/own-value.js';

/** A compiled selector. It matches labels that meet all requirements. */
export interface Selector {
  /** Sorted by key. */
  readonly requirements: readonly LabelRequirement[];
  /** Whether there are no requirements, so that the selector matches everything. */
  readonly empty: boolean;
  /** Whether the selector matches nothing, regardless of requirements. It is that of an unset LabelSelector. */
  readonly nothing: boolean;
  matches(labels: Labels | undefined): boolean;
  /** Returns the value that the label must have, if there is only one, for indexes. */
  exactMatch(key: string): string | undefined;
  /** Returns the selector in string syntax. */
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
    matches: labels => requirements.every(r => matchesRequirement(r, labels ?? none)),
    exactMatch: key => {
      const r = requirements.find(x => x.key === key);
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

/** Returns the selector of these labels with these values, without validation. */
export function selectorOfLabels(labels: Labels): Selector {
  return compile(Object.entries(labels).map(([key, value]) => ({ key, operator: '=', values: [value] })));
}

// --- the string syntax ----------------------------------------------------------------------------------------

/** Parses the string syntax; returns upstream's text if it is invalid. */
export function readSelector(text: string): Selector | { readonly error: string } {
  const found = readRequirements(text);
  return 'error' in found ? found : compile(found);
}

/** Parses the string syntax (`a=b,c in (d,e),!f,g>5`). Throws 400 with upstream's text. */
export function parseSelector(text: string): Selector {
  const found = readSelector(text);
  if ('error' in found) throw badRequest(found.error);
  return found;
}

// --- LabelSelector objects ------------------------------------------------------------------------------------

/**
 * Compiles a LabelSelector object. An unset one matches nothing, an empty one everything.
 * Throws a plain Error with upstream's text if it is invalid, which that of a validated object is not. as meta/v1 LabelSelectorAsSelector
 */
export function selectorOf(selector: LabelSelector | null | undefined): Selector {
  if (selector == null) return nothing;
  const requirements: LabelRequirement[] = [];
  for (const key of Object.keys(selector.matchLabels ?? {}).sort())
    requirements.push({ key, operator: '=', values: [selector.matchLabels?.[key] ?? ''] });
  for (const e of selector.matchExpressions ?? []) {
    const operator = ownValue(selectorOperators, e.operator);
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
