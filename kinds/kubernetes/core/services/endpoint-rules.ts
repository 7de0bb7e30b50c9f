// as pkg/apis/core/validation ValidateEndpointIP
import { parseIp } from '../../../../apimachinery/net/ip.js';
import type { Field } from '../../../shared/rules/field.js';

const v4Mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** Checks an address that must be reachable from other machines. */
export function endpointIp(field: Field<string>): void {
  const text = field.value ?? '';
  const parsed = parseIp(text, { sloppy: true });
  if (!parsed) {
    field.invalid('must be a valid IP address', text);
    return;
  }
  const isMapped = parsed.length === 16 && v4Mapped.every((byte, i) => parsed[i] === byte);
  const ip = isMapped ? parsed.slice(12) : parsed;
  const [a = 0, b = 0, c = 0] = ip;
  const is4 = ip.length === 4;
  const isLast = (last: number): boolean => ip.slice(0, -1).every(byte => byte === 0) && ip.at(-1) === last;
  if (isLast(0)) field.invalid(`may not be unspecified (${text})`);
  if (is4 ? a === 127 : isLast(1)) field.invalid('may not be in the loopback range (127.0.0.0/8, ::1/128)');
  if (is4 ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80)
    field.invalid('may not be in the link-local range (169.254.0.0/16, fe80::/10)');
  if (is4 ? a === 224 && b === 0 && c === 0 : a === 0xff && (b & 0x0f) === 0x02)
    field.invalid('may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)');
}
