import { ownValue } from '../collections/own-value.js';

const words: Readonly<Record<string, boolean>> = {
  '1': true, t: true, T: true, true: true, TRUE: true, True: true,
  '0': false, f: false, F: false, false: false, FALSE: false, False: false,
}; // prettier-ignore

/** Parses a boolean as Go does; undefined when it is none. as strconv.ParseBool */
export const parseBool = (text: string): boolean | undefined => ownValue(words, text);
