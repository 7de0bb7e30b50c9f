import { isLess } from './read.js';

/** Returns the least number or text, such as the earliest time; undefined if there is none. Throws if types differ. `place` is for the error. */
export const leastOf = (values: readonly unknown[], place: string): unknown =>
  values.reduce((least, value) => (least === undefined || isLess(value, least, place) ? value : least), undefined);

/** Returns the greatest number or text, such as the latest time; undefined if there is none. Throws if types differ. */
export const greatestOf = (values: readonly unknown[], place: string): unknown =>
  values.reduce((most, value) => (most === undefined || isLess(most, value, place) ? value : most), undefined);
