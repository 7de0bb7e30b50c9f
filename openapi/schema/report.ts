/** What validation found, in order. Findings with the same text count once. */
import type { Fault } from '../../apimachinery/interface.js';
import { child, invalidValue, omitted, wholeObject } from '../../apimachinery/errors/faults.js';
import { goJson, sortKeys } from '../../lib/go/go-text.js';
import { maxSteps } from '../../lib/regexp/go-regexp.js';
import { OutOfSteps, type Steps } from '../../lib/steps.js';
import { maxFaultCharacters, maxFaults, shortenedValue } from '../../apimachinery/errors/limits.js';

export interface Report {
  /** Where the validated value stands: faults have this path in front; '' is the root. */
  readonly base: string;
  /** Makers of the faults, by their texts: most faults of alternatives never leave the validation. */
  readonly faults: Map<string, () => Fault>;
  /** What is left of the room for texts. */
  readonly room: { left: number };
  /** The budget of the validation, which all of its reports share. */
  readonly work: Work;
}

/** Some 50 ms. A schema that offers many alternatives for each item of a list holds every item against each of them. */
const maxChecks = 400_000;
/** Steps of matching a pattern that take the time of a check: 10 to 20 nanoseconds each. */
const stepsPerCheck = 10;
/** Characters that most formats are judged by in the time of a check. */
const charactersPerCheck = 16;
/** Names of fields that are looked up in the time of a check. */
const namesPerCheck = 4;
/** Names of fields that are remembered. */
const manyNames = 256;
/** What a fault costs, in checks. */
const faultCost = 3;

/** The value and its schema ask for too many checks. */
class TooManyChecks extends Error {}

/** The budget of one validation, in checks, and a cache of what alternatives ask of the same value. */
class Work implements Steps {
  private left = maxChecks;
  private textSteps = 0;
  private omitsValues = false;
  private shown: Map<object, unknown> | undefined;
  private texts: Map<object, string> | undefined;
  private names: Map<object, readonly string[]> | undefined;

  /** Counts checks. Throws TooManyChecks. hot: */
  takeChecks(count: number): void {
    this.left -= count;
    if (this.left < 0) throw new TooManyChecks();
  }

  /** Counts steps of a match, for the validation and for its text. Throws TooManyChecks, or OutOfSteps when the text takes too many. */
  take(count: number): void {
    this.takeChecks(count / stepsPerCheck);
    this.textSteps -= count;
    if (this.textSteps < 0) throw new OutOfSteps();
  }

  /** To be called before the text of a value is matched. */
  beginText(): void {
    this.textSteps = maxSteps;
  }

  /** Returns the names of the fields of an object. Those of large ones are listed once: that takes longer than to go through them. */
  namesOf(object: object): readonly string[] {
    let names = this.names?.get(object);
    if (!names) {
      names = Object.keys(object);
      if (names.length >= manyNames) (this.names ??= new Map()).set(object, names);
    }
    return names;
  }

  /** Ends the values in faults. */
  omitValues(): void {
    this.omitsValues = true;
  }

  /** Returns a value as faults show it. */
  shownValue(value: unknown): unknown {
    if (this.omitsValues) return omitted;
    if (typeof value !== 'object' || value === null) return sortKeys(shortenedValue(value));
    this.shown ??= new Map();
    if (!this.shown.has(value)) this.shown.set(value, sortKeys(shortenedValue(value)));
    return this.shown.get(value);
  }

  /** Returns the JSON of a list or an object, its fields in order. */
  textOf(value: object): string {
    this.texts ??= new Map();
    let text = this.texts.get(value);
    if (text === undefined) this.texts.set(value, (text = goJson(sortKeys(value))));
    return text;
  }
}

export const newReport = (base: string, room = { left: maxFaultCharacters }, work = new Work()): Report => ({
  ...{ base, faults: new Map<string, () => Fault>() },
  ...{ room, work },
});

/** Notes a check, or what takes as long as several. hot: */
export const takeCheck = ({ work }: Report, cost = 1): void => work.takeChecks(cost);

/** Notes that fields are looked up by their names. */
export const takeNames = ({ work }: Report, names: number): void => work.takeChecks(names / namesPerCheck);

/** Returns the names of the fields of an object. */
export const namesOf = ({ work }: Report, object: object): readonly string[] => work.namesOf(object);

/** Notes that a text is read to its end. */
export const takeText = ({ work }: Report, { length }: string): void => work.takeChecks(length / charactersPerCheck);

/** Judges a text, such as by a pattern; false where that takes more steps than a text may take. hot: */
export function judgeText(judge: (text: string, steps: Steps) => boolean, text: string, { work }: Report): boolean {
  try {
    work.beginText();
    return judge(text, work);
  } catch (error) {
    if (error instanceof OutOfSteps) return false;
    throw error;
  }
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
    const text = `validation takes more than ${maxChecks} checks: the object is too large for the alternatives and patterns of its schema`;
    report.faults.set(text, () => invalidValue(report.base || wholeObject, omitted, text));
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
  const { base, room, work } = report;
  const own = newReport(base, { ...room }, work);
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

function put({ faults, room, work }: Report, text: string, make: () => Fault): void {
  work.takeChecks(faultCost);
  if (faults.has(text)) return;
  if (room.left <= 0) throw new Enough();
  room.left -= text.length;
  faults.set(text, make);
}

/** `Invalid value: VALUE: TEXT`. */
export function addInvalid(report: Report, path: string, value: unknown, text: string): void {
  add(report, text, at => invalidValue(at, value === null ? '' : report.work.shownValue(value), text), path);
}

/** A finding that upstream reports without a path: `<nil>: Invalid value: "": TEXT`. */
export function addLoose(report: Report, text: string): void {
  add(report, text, at => invalidValue(at, '', text), '');
}

export function merge(report: Report, other: Report): void {
  for (const [text, fault] of other.faults) put(report, text, fault);
}

/** Makes the faults of a report. Faults of which the answer gives only the number have no values. */
export const faultsOf = ({ faults, work }: Report): Fault[] =>
  Array.from(faults.values(), (make, i) => {
    if (i === 2 * maxFaults) work.omitValues();
    return make();
  });
