/**
 * Limits of the answer to an invalid request.
 * differs: upstream returns all faults with all values, so that an answer can be a hundred times as long as its request.
 */

/** Characters of the faults of one object in an answer. */
export const maxFaultCharacters = 64 * 1024;
/** Faults of one object in an answer. */
export const maxFaults = 100;
/** Characters of an invalid value. */
const maxValueLength = 4096;
/** Characters of a path or of a name. */
export const maxNameLength = 1024;
/** Characters of a message. */
export const maxStatusMessageLength = 96 * 1024;

/** Returns the text, or its first `max` characters and its length. */
export function shortened(text: string, max = maxValueLength): string {
  return text.length <= max ? text : `${text.slice(0, max)}... (${text.length} characters)`;
}

/** The number of characters that are left. */
interface Budget {
  left: number;
}

const memberCost = 4;

/** Returns whether the JSON of a value is longer than the budget. Visits no more of the value than that. */
function exceeds(value: unknown, budget: Budget): boolean {
  budget.left -= typeof value === 'string' ? value.length + memberCost : memberCost;
  if (budget.left < 0) return true;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(item => exceeds(item, budget));
  for (const name in value) {
    budget.left -= name.length;
    if (exceeds((value as Record<string, unknown>)[name], budget)) return true;
  }
  return false;
}

/** Returns a copy of the beginning of a value, as long as the budget. */
function beginning(value: unknown, budget: Budget): unknown {
  budget.left -= memberCost;
  if (typeof value === 'string') {
    const text = shortened(value, Math.max(0, budget.left));
    budget.left -= value.length;
    return text;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (budget.left <= 0) return [...items, '...'];
      items.push(beginning(item, budget));
    }
    return items;
  }
  const members: [string, unknown][] = [];
  for (const name in value) {
    if (budget.left <= 0) {
      members.push(['...', '...']);
      break;
    }
    budget.left -= name.length;
    members.push([shortened(name, maxNameLength), beginning((value as Record<string, unknown>)[name], budget)]);
  }
  return Object.fromEntries(members);
}

/** Returns the value, or a copy of its beginning, with `...` in place of the rest. `max`: characters of JSON. */
export function shortenedValue(value: unknown, max = maxValueLength): unknown {
  return exceeds(value, { left: max }) ? beginning(value, { left: max }) : value;
}

/** Returns whether validation may stop, since the answer does not contain further faults. */
export const isEnough = (faults: readonly unknown[]): boolean => faults.length > 2 * maxFaults;
