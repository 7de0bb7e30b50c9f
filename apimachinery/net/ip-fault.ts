/** The errors of Go's net/netip about texts that are not IP addresses. */
import { goQuote } from '../../lib/go/go-text.js';

class AddressFault extends Error {}

/** Throws. `rest`: the text from the error on. */
function fail(text: string, rest?: string): never {
  throw new AddressFault(rest === undefined ? text : `${text} (at ${goQuote(rest)})`);
}

const isDigit = (letter: string | undefined): boolean => letter !== undefined && letter >= '0' && letter <= '9';

/** Throws for an invalid address in dotted decimal. as netip parseIPv4Fields */
function checkV4(text: string): void {
  let value = '';
  let dots = 0;
  for (let i = 0; i < text.length; i++) {
    const letter = text[i] as string;
    if (isDigit(letter)) {
      if (value === '0') fail('IPv4 field has octet with leading zero');
      value += letter;
      if (Number(value) > 255) fail('IPv4 field has value >255');
    } else if (letter !== '.') fail('unexpected character', text.slice(i));
    else {
      if (value === '' || i === text.length - 1) fail('IPv4 field must have at least one digit', text.slice(i));
      if (dots === 3) fail('IPv4 address too long');
      dots++;
      value = '';
    }
  }
  if (dots < 3) fail('IPv4 address too short');
}

/** Returns one group of up to four digits, or throws. as netip parseIPv6 */
function groupAt(rest: string): string {
  const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? '';
  if (digits === '') fail('each colon-separated field must have at least one digit', rest);
  if (digits.length > 4) fail('each group must have 4 or less digits', rest);
  return digits;
}

/** Throws for an invalid IPv6 address. as netip parseIPv6 */
function checkV6(whole: string): void {
  const percent = whole.indexOf('%');
  if (percent === whole.length - 1) fail('zone must be a non-empty string');
  let rest = percent < 0 ? whole : whole.slice(0, percent);
  let bytes = 0;
  let ellipsis = rest.startsWith('::');
  if (ellipsis) rest = rest.slice(2);
  if (rest === '') return;
  let tooFew = !ellipsis;
  while (bytes < 16) {
    const digits = groupAt(rest);
    if (rest[digits.length] === '.') {
      if (tooFew && bytes !== 12) fail('embedded IPv4 address must replace the final 2 fields of the address', rest);
      if (bytes > 12) fail('too many hex fields to fit an embedded IPv4 at the end of the address', rest);
      checkV4(rest);
      bytes += 4;
      rest = '';
      break;
    }
    bytes += 2;
    rest = rest.slice(digits.length);
    if (rest === '') break;
    if (!rest.startsWith(':')) fail('unexpected character, want colon', rest);
    if (rest.length === 1) fail('colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (!rest.startsWith(':')) continue;
    if (ellipsis) fail('multiple :: in address', rest);
    ellipsis = true;
    tooFew = false;
    rest = rest.slice(1);
    if (rest === '') break;
  }
  if (rest !== '') fail('trailing garbage after address', rest);
  if (bytes < 16 && tooFew) fail('address string too short');
  if (bytes === 16 && ellipsis) fail('the :: must expand to at least one field of zeros');
}

/** Returns the error of a text that is not an address: `ParseAddr("1.2.3"): IPv4 address too short`. as net/netip ParseAddr */
export function addressFault(text: string): string {
  const head = `ParseAddr(${goQuote(text)}): `;
  const first = /[.:%]/.exec(text)?.[0];
  try {
    if (first === '.') checkV4(text);
    else if (first === ':') checkV6(text);
    else if (first === '%') fail('missing IPv6 address');
  } catch (fault) {
    if (fault instanceof AddressFault) return head + fault.message;
    throw fault;
  }
  return `${head}unable to parse IP`;
}
