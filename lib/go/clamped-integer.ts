const beyond = 2n ** 70n;
/** Digits of the largest number of 64 bits. */
const maxDigits = 20;

/**
 * The value of decimal digits with an optional sign. What has more digits than a number of 64 bits is 2^70 or -2^70, so that it is out of every
 * range: the time to read a number grows with the square of its digits, and users write them.
 */
export function clampedInteger(text: string): bigint {
  const isNegative = text.startsWith('-');
  let at = isNegative || text.startsWith('+') ? 1 : 0;
  while (at < text.length - 1 && text.charCodeAt(at) === 0x30) at++;
  if (text.length - at > maxDigits) return isNegative ? -beyond : beyond;
  const value = BigInt(text.slice(at));
  return isNegative ? -value : value;
}
