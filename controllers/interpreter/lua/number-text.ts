import { goFloat } from '../../../lib/go/go-float.js';

/** Returns whether gopher-lua prints the number as an integer: an int64 holds it. */
export const isInt64Number = (value: number): boolean =>
  Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;

/** Returns a number as a script sees it. as gopher-lua LNumber.String */
export const luaNumberText = (value: number): string =>
  isInt64Number(value) ? BigInt(value).toString() : goFloat(value);
