/** What validation found, in order. Findings with the same text count once. */
import type { Fault } from '../interface.js';
import { child, invalidValue, wholeObject } from '../meta/faults.js';
import { sortKeys } from '../meta/go-text.js';

export interface Report {
  /** Where the validated value stands: faults have this path in front; '' is the root. */
  readonly base: string;
  readonly faults: Map<string, Fault>;
}

export const newReport = (base: string): Report => ({ base, faults: new Map() });

/** The path of a fault, from the path of validation (`.spec.a` of required fields, `spec.a` of others, '' of the value itself). */
export function faultPath(report: Report, path: string): string {
  const name = path.startsWith('.') ? path.slice(1) : path;
  if (name === '') return report.base === '' ? wholeObject : report.base;
  return child(report.base, name);
}

/** A finding whose text names it: the first of several with the same text counts. */
export function add(report: Report, text: string, make: (path: string) => Fault, path: string): void {
  if (!report.faults.has(text)) report.faults.set(text, make(faultPath(report, path)));
}

/** `Invalid value: VALUE: TEXT`. */
export function addInvalid(report: Report, path: string, value: unknown, text: string): void {
  add(report, text, at => invalidValue(at, value === null ? '' : sortKeys(value), text), path);
}

/** A finding that upstream reports without a path: `<nil>: Invalid value: "": TEXT`. */
export function addLoose(report: Report, text: string): void {
  add(report, text, at => invalidValue(at, '', text), '');
}

export function merge(report: Report, other: Report): void {
  for (const [text, fault] of other.faults) if (!report.faults.has(text)) report.faults.set(text, fault);
}
