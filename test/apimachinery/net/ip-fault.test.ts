import t from 'tap';
import { addressFault } from '../../../apimachinery/net/ip-fault.js';

const cases: readonly { given: string; expect: string }[] = [
  { given: '1.2.3', expect: 'IPv4 address too short' },
  { given: '1.2.3.4.5', expect: 'IPv4 address too long' },
  { given: '1.2.3.256', expect: 'IPv4 field has value >255' },
  { given: '1.02.3.4', expect: 'IPv4 field has octet with leading zero' },
  { given: '.1.2.3', expect: 'IPv4 field must have at least one digit (at ".1.2.3")' },
  { given: '1..2.3', expect: 'IPv4 field must have at least one digit (at ".2.3")' },
  { given: '1.2.3.', expect: 'IPv4 field must have at least one digit (at ".")' },
  { given: '1.2.x.4', expect: 'unexpected character (at "x.4")' },
  { given: '2001:db8:::68', expect: 'each colon-separated field must have at least one digit (at ":68")' },
  { given: '1::2::3', expect: 'multiple :: in address (at ":3")' },
  { given: '12345::', expect: 'each group must have 4 or less digits (at "12345::")' },
  { given: '1:2:3', expect: 'address string too short' },
  { given: '1:2:', expect: 'colon must be followed by more characters (at ":")' },
  { given: '1:2x:3', expect: 'unexpected character, want colon (at "x:3")' },
  { given: '1:2:3:4:5:6:7:8:9', expect: 'trailing garbage after address (at "9")' },
  { given: '::1:2:3:4:5:6:7:8', expect: 'the :: must expand to at least one field of zeros' },
  {
    given: '1:2:1.2.3.4',
    expect: 'embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")',
  },
  {
    given: '::1:2:3:4:5:6:7:1.2.3.4',
    expect: 'too many hex fields to fit an embedded IPv4 at the end of the address (at "1.2.3.4")',
  },
  { given: '::1.2.3', expect: 'IPv4 address too short' },
  { given: '::1%', expect: 'zone must be a non-empty string' },
  { given: '%a', expect: 'missing IPv6 address' },
  { given: 'abc', expect: 'unable to parse IP' },
];

t.test('invalid addresses have the errors of Go', t => {
  for (const { given, expect } of cases) t.equal(addressFault(given), `ParseAddr("${given}"): ${expect}`);
  t.end();
});
