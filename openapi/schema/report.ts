/** What validation found, in order. Findings with the same text count once. */
import type { Fault } from '../../apimachinery/interface.js';
import { child, invalidValue, omitted, wholeObject } from '../../apimachinery/errors/faults.js';
import { sortKeys } from '../../lib/go/go-text.js';
import { maxFaultCharacters, shortenedValue } from '../../apimachinery/errors/limits.js';

export interface Report {
  /** Where the validated value stands: faults have this path in front; '' is the root. */
  readonly base: string;
  readonly faults: Map<string, Fault>;
  /** What is left of the room for texts. */
  readonly room: { left: number };
  /** How often a value may still be held against a schema. All reports of one validation share it. */
  readonly checks: { left: number };
}

/** Some 50 ms. A schema that offers many alternatives for each item of a list holds every item against each of them. */
const maxChecks = 400_000;

/** The value and its schema ask for too many checks. */
class TooManyChecks extends Error {}

export const newReport = (base: string, room = { left: maxFaultCharacters }, checks = { left: maxChecks }): Report => ({
  ...{ base, faults: new Map<string, Fault>() },
  ...{ room, checks },
});

/** Notes a check, or what takes as long as several. hot: */
export function takeCheck({ checks }: Report, cost = 1): void {
  checks.left -= cost;
  if (checks.left < 0) throw new TooManyChecks();
}

/**
 * Validates as long as that takes a bounded number of checks. differs: upstream has no bound; what could not be validated to its end is a fault.
 */
export function withinChecks(report: Report, validate: () => number): void {
  try {
    upToEnough(validate);
  } catch (error) {
    if (!(error instanceof TooManyChecks)) throw error;
    report.faults.clear();
    const text = `validation takes more than ${maxChecks} checks: the object is too large for the alternatives of its schema`;
    report.faults.set(text, invalidValue(report.base || wholeObject, omitted, text));
  }
}

/** There is no more room. */
class Enough extends Error {}

/**
 * Looks for faults while there is room for their texts.
 * differs: upstream tells all of them, be the answer a hundred times as long as the request.
 */
export function upToEnough(validate: () => number): number {
  try {
    return validate();
  } catch (error) {
    if (error instanceof Enough) return 0;
    throw error;
  }
}

/** A report of its own, with its score: whether it counts is decided later (`merge`). */
export function apart(report: Report, validate: (own: Report) => number): readonly [Report, number] {
  const { base, room, checks } = report;
  const own = newReport(base, { ...room }, checks);
  return [own, upToEnough(() => validate(own))];
}

/** The path of a fault, from the path of validation (`.spec.a` of required fields, `spec.a` of others, '' of the value itself). */
function faultPath(report: Report, path: string): string {
  const name = path.startsWith('.') ? path.slice(1) : path;
  if (name === '') return report.base === '' ? wholeObject : report.base;
  return child(report.base, name);
}

/** A finding whose text names it: the first of several with the same text counts. */
export function add(report: Report, text: string, make: (path: string) => Fault, path: string): void {
  put(report, text, () => make(faultPath(report, path)));
}

function put({ faults, room }: Report, text: string, make: () => Fault): void {
  if (faults.has(text)) return;
  if (room.left <= 0) throw new Enough();
  room.left -= text.length;
  faults.set(text, make());
}

/** `Invalid value: VALUE: TEXT`. */
export function addInvalid(report: Report, path: string, value: unknown, text: string): void {
  add(report, text, at => invalidValue(at, value === null ? '' : sortKeys(shortenedValue(value)), text), path);
}

/** A finding that upstream reports without a path: `<nil>: Invalid value: "": TEXT`. */
export function addLoose(report: Report, text: string): void {
  add(report, text, at => invalidValue(at, '', text), '');
}

export function merge(report: Report, other: Report): void {
  for (const [text, fault] of other.faults) put(report, text, () => fault);
}
