/** Resource versions, which are opaque to clients and decimal revisions of the store. */
import { clampedInteger } from '../../lib/go/clamped-integer.js';
import { invalidValue } from '../errors/faults.js';
import { goQuote } from '../../lib/go/go-text.js';
import { faultsText, plainError } from '../errors/status.js';

const maxUint64 = 2n ** 64n - 1n;

/** Returns the text of strconv.ParseUint's error, or undefined for a number. */
export function uintError(text: string): string | undefined {
  const head = `strconv.ParseUint: parsing ${goQuote(text)}:`;
  if (!/^[0-9]+$/.test(text)) return `${head} invalid syntax`;
  return text.length > 19 && clampedInteger(text) > maxUint64 ? `${head} value out of range` : undefined;
}

/**
 * Returns the revision of a parameter or an object; '' and '0' are 0. Throws a 500 without reason, as kube-apiserver.
 * as apiserver/pkg/storage APIObjectVersioner.ParseResourceVersion
 */
export function parseResourceVersion(text: string | undefined): number {
  if (text === undefined || text === '' || text === '0') return 0;
  const wrong = uintError(text);
  if (wrong !== undefined) throw plainError(faultsText([invalidValue('resourceVersion', text, wrong)]));
  return Number(text);
}

/** Compares two resourceVersions of an object. Those that are no numbers have no order. as apimachinery pkg/util/resourceversion */
export function isAtLeastVersion(seen: string, written: string): boolean {
  if (seen === written) return true;
  if (!/^\d+$/.test(seen) || !/^\d+$/.test(written)) return false;
  return seen.length === written.length ? seen > written : seen.length > written.length;
}
