/** The faults that validation finds, in order. Faults with the same text are reported once. */
import type { Fault } from '../../../apimachinery/interface.js';
import { child, invalidValue, omitted, wholeObject } from '../../../apimachinery/errors/faults.js';
import { goJson, sortKeys } from '../../../lib/go/go-text.js';
import { maxMatchSteps } from '../../../lib/regexp/go-regexp.js';
import { OutOfSteps, type Steps } from '../../../lib/steps.js';
import type { InSteps } from '../../../lib/time-slice.js';
import { maxFaultCharacters, maxFaults, shortenedValue } from '../../../apimachinery/errors/limits.js';

/** Checks a text, such as by a pattern or a format, and counts its steps. */
type TextCheck = (text: string, steps: Steps) => boolean;

export interface Report {
  /** Path of the validated value, which is the prefix of all paths; '' for the root. */
  readonly base: string;
  /** Functions that make the faults, by text: most faults of alternatives are dropped, and never made. */
  readonly faults: Map<string, () => Fault>;
  /** Remaining characters for texts. */
  readonly textBudget: { left: number };
  /** The budget of the validation, which all of its reports share. */
  readonly work: Work;
}

/** A separate report, and the score of the value in it. */
export interface ScoredReport {
  readonly report: Report;
  readonly score: number;
}

/** Maximum number of checks of one validation, which take some 50 ms in steps: a list is checked by each alternative for its items. */
const maxChecks = 400_000;
/** Number of steps of a regular expression that take as long as a check: 10 to 20 nanoseconds each. */
const stepsPerCheck = 10;
/** Number of characters for which the check of a format takes as long as a check. */
const charactersPerCheck = 16;
/** Number of lookups of fields that take as long as a check. */
const namesPerCheck = 4;
/** Minimum number of fields of an object whose names are cached. */
const minCachedNames = 256;
/** Cost of a fault, in checks. */
const faultCost = 3;

/** Number of checks after which a validation in steps may pause: some three milliseconds. */
const stepChecks = 20_000;

/** Thrown when the value and its schema need too many checks. */
class TooManyChecks extends Error {}

/** Thrown when a validation needs more checks than it may do at once. */
export class TooManyAtOnce extends Error {}

/** The budget of one validation, in checks, and a cache for values that are checked by several alternatives. */
class Work implements Steps {
  private left = maxChecks;
  /** The value of `left` below which the validation ends. */
  private readonly floor: number;
  /** The value of `left` at the beginning of the step. */
  private stepFrom = maxChecks;
  private textSteps = 0;
  private failedCheck: TextCheck | undefined;
  private failedText = '';
  private omitsValues = false;
  private shown: Map<object, unknown> | undefined;
  private texts: Map<object, string> | undefined;
  private names: Map<object, readonly string[]> | undefined;

  /** `maxAtOnce`: the number of checks after which the validation has to be done in steps instead. */
  constructor(maxAtOnce = maxChecks) {
    this.floor = maxChecks - Math.min(maxAtOnce, maxChecks);
  }

  /** Counts checks. Throws TooManyChecks or TooManyAtOnce. hot: every value that is validated. */
  takeChecks(count: number): void {
    this.left -= count;
    if (this.left < this.floor) throw this.left < 0 ? new TooManyChecks() : new TooManyAtOnce();
  }

  /** To be called between two parts of the value. Returns whether a step is over. */
  get isStepOver(): boolean {
    if (this.stepFrom - this.left < stepChecks) return false;
    this.stepFrom = this.left;
    return true;
  }

  /** Counts steps of a match, for the validation and for the text. Throws TooManyChecks, or OutOfSteps if the text needs too many. */
  take(count: number): void {
    this.takeChecks(count / stepsPerCheck);
    this.textSteps -= count;
    if (this.textSteps < 0) throw new OutOfSteps();
  }

  /**
   * Returns whether a text passes a check; false if that takes more steps than a text may take. The last failure is remembered: a text that fails
   * the check of `quickScore` is checked again for its fault, and such a check may take the longest time of all.
   */
  checkText(check: TextCheck, text: string): boolean {
    if (check === this.failedCheck && text === this.failedText) return false;
    if (this.passes(check, text)) return true;
    this.failedCheck = check;
    this.failedText = text;
    return false;
  }

  private passes(check: TextCheck, text: string): boolean {
    this.textSteps = maxMatchSteps;
    try {
      return check(text, this);
    } catch (error) {
      if (error instanceof OutOfSteps) return false;
      throw error;
    }
  }

  /** Returns the names of the fields of an object. Those of large objects are cached, since listing them takes longer than iterating. */
  namesOf(object: object): readonly string[] {
    let names = this.names?.get(object);
    if (!names) {
      names = Object.keys(object);
      if (names.length >= minCachedNames) (this.names ??= new Map()).set(object, names);
    }
    return names;
  }

  /** Leaves out the values in further faults. */
  omitValues(): void {
    this.omitsValues = true;
  }

  /** Returns a value in the form of faults. */
  shownValue(value: unknown): unknown {
    if (this.omitsValues) return omitted;
    if (typeof value !== 'object' || value === null) return sortKeys(shortenedValue(value));
    this.shown ??= new Map();
    if (!this.shown.has(value)) this.shown.set(value, sortKeys(shortenedValue(value)));
    return this.shown.get(value);
  }

  /** Returns the JSON of a list or an object with sorted fields. */
  textOf(value: object): string {
    this.texts ??= new Map();
    let text = this.texts.get(value);
    if (text === undefined) this.texts.set(value, (text = goJson(sortKeys(value))));
    return text;
  }
}

/** hot: created field by field, since a spread is slow. */
const emptyReport = (base: string, textBudget: Report['textBudget'], work: Work): Report => ({
  base,
  faults: new Map<string, () => Fault>(),
  textBudget,
  work,
});

/** Returns the report of a new validation. With `maxAtOnce`, it throws TooManyAtOnce after so many checks. */
export const newReport = (base: string, maxAtOnce?: number): Report =>
  emptyReport(base, { left: maxFaultCharacters }, new Work(maxAtOnce));

/** Counts a check, or work that takes as long as several. hot: every value that is validated. */
export const takeCheck = ({ work }: Report, cost = 1): void => work.takeChecks(cost);

/** Counts lookups of fields. */
export const takeNames = ({ work }: Report, names: number): void => work.takeChecks(names / namesPerCheck);

/** Returns the names of the fields of an object. */
export const fieldNamesOf = ({ work }: Report, object: object): readonly string[] => work.namesOf(object);

/** Counts reading a whole text. */
export const takeText = ({ work }: Report, { length }: string): void => work.takeChecks(length / charactersPerCheck);

/** Checks a text. Returns false if that takes more steps than a text may take. hot: every text with a pattern or a format. */
export const checkText = (check: TextCheck, text: string, { work }: Report): boolean => work.checkText(check, text);

/**
 * Runs a validation with a bounded number of checks. differs: upstream has no bound; a validation that exceeds it is one fault.
 */
export function withinChecks(report: Report, validate: () => number): void {
  try {
    untilFull(validate);
  } catch (error) {
    refuseManyChecks(report, error);
  }
}

/** As `withinChecks`, in steps. */
export function* withinCheckSteps(report: Report, steps: InSteps<number>): InSteps<void> {
  try {
    yield* untilFullSteps(steps);
  } catch (error) {
    refuseManyChecks(report, error);
  }
}

function refuseManyChecks(report: Report, error: unknown): void {
  if (!(error instanceof TooManyChecks)) throw error;
  report.faults.clear();
  const text = `validation takes more than ${maxChecks} checks: the object is too large for the alternatives and patterns of its schema`;
  report.faults.set(text, () => invalidValue(report.base || wholeObject, omitted, text));
}

/** Thrown when the texts of faults exceed their budget. */
class ReportFull extends Error {}

/**
 * Runs a validation until the texts of its faults exceed their budget.
 * differs: upstream reports all faults, even if the response is a hundred times as long as the request.
 */
function untilFull(validate: () => number): number {
  try {
    return validate();
  } catch (error) {
    if (error instanceof ReportFull) return 0;
    throw error;
  }
}

/** As `untilFull`, in steps. */
function* untilFullSteps(steps: InSteps<number>): InSteps<number> {
  try {
    return yield* steps;
  } catch (error) {
    if (error instanceof ReportFull) return 0;
    throw error;
  }
}

/** Returns a separate report with its score; the caller decides whether to `merge` it. */
export function separately(report: Report, validate: (separate: Report) => number): ScoredReport {
  const separate = separateReport(report);
  return { report: separate, score: untilFull(() => validate(separate)) };
}

/** As `separately`, in steps. */
export function* separateSteps(report: Report, validate: (separate: Report) => InSteps<number>): InSteps<ScoredReport> {
  const separate = separateReport(report);
  return { report: separate, score: yield* untilFullSteps(validate(separate)) };
}

const separateReport = ({ base, textBudget, work }: Report): Report => emptyReport(base, { ...textBudget }, work);

/** To be called between two parts of the value. Returns whether a step of the validation is over. */
export const isStepOver = ({ work }: Report): boolean => work.isStepOver;

/** Returns the path of a fault from that in the validation: `.spec.a` for required fields, `spec.a` for others, '' for the value itself. */
function faultPath(report: Report, path: string): string {
  const name = path.startsWith('.') ? path.slice(1) : path;
  if (name === '') return report.base === '' ? wholeObject : report.base;
  return child(report.base, name);
}

/** Adds a fault, unless there is one with the same text. */
export function add(report: Report, text: string, make: (path: string) => Fault, path: string): void {
  put(report, text, () => make(faultPath(report, path)));
}

function put({ faults, textBudget, work }: Report, text: string, make: () => Fault): void {
  work.takeChecks(faultCost);
  if (faults.has(text)) return;
  if (textBudget.left <= 0) throw new ReportFull();
  textBudget.left -= text.length;
  faults.set(text, make);
}

/** Adds `Invalid value: VALUE: TEXT`. */
export function addInvalid(report: Report, path: string, value: unknown, text: string): void {
  add(report, text, at => invalidValue(at, value === null ? '' : report.work.shownValue(value), text), path);
}

/** Adds a fault that upstream reports without a path: `<nil>: Invalid value: "": TEXT`. */
export function addWithoutPath(report: Report, text: string): void {
  add(report, text, at => invalidValue(at, '', text), '');
}

/** Adds the faults of a separate report. */
export function merge(report: Report, other: Report): void {
  for (const [text, fault] of other.faults) put(report, text, fault);
}

/** Makes the faults of a report. Faults beyond those that the response lists have no values. */
export const reportedFaults = ({ faults, work }: Report): Fault[] =>
  Array.from(faults.values(), (make, i) => {
    if (i === 2 * maxFaults) work.omitValues();
    return make();
  });
