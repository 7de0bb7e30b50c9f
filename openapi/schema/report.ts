/** What validation found, in order. Findings with the same text count once. */
import type { Fault } from '../interface.js';
import { child, invalidValue, wholeObject } from '../meta/faults.js';
import { sortKeys } from '../meta/go-text.js';
import { roomForFaults, shortenedValue } from '../meta/told.js';

export interface Report {
  /** Where the validated value stands: faults have this path in front; '' is the root. */
  readonly base: string;
  readonly faults: Map<string, Fault>;
  /** What is left of the room for texts. */
  readonly room: { left: number };
}

export const newReport = (base: string, room = { left: roomForFaults }): Report => ({ base, faults: new Map(), room });

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
export function apart({ base, room }: Report, validate: (own: Report) => number): readonly [Report, number] {
  const own = newReport(base, { ...room });
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
