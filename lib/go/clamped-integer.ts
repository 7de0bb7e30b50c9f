const beyond = 2n ** 70n;
/** Digits of the largest 64-bit number. */
const maxDigits = 20;

/**
 * Parses decimal digits with an optional sign. A number with more digits than a 64-bit number becomes 2^70 or -2^70, outside of every range:
 * parsing takes time quadratic in the digits, which users choose.
 */
export function clampedInteger(text: string): bigint {
  const isNegative = text.startsWith('-');
  let at = isNegative || text.startsWith('+') ? 1 : 0;
  while (at < text.length - 1 && text.charCodeAt(at) === 0x30) at++;
  if (text.length - at > maxDigits) return isNegative ? -beyond : beyond;
  const value = BigInt(text.slice(at));
  return isNegative ? -value : value;
}
