/** Names of CSI drivers and signers. as pkg/apis/core/validation ValidateCSIDriverName and ValidateSignerName */
import t from 'tap';
import { faultsOf, type Field } from '../../../../kinds/shared/rules/field.js';
import { csiDriverName, dnsLabel, notEmpty, signerName } from '../../../../kinds/shared/rules/name-rules.js';
import { texts } from '../../kubernetes/fault-table.js';

interface Named {
  readonly name?: string | null;
}

/** Returns the faults of a rule for a name, each as `path: message`. */
const faults = (rule: (field: Field<string>) => void, name?: string | null): readonly string[] =>
  faultsOf<Named>({ name }, root => rule(root.at('name'))).map(({ path, message }) => `${path}: ${message}`);

const label63 = 'a'.repeat(63);
/** A subdomain of 253 bytes. */
const subdomain253 = [label63, label63, label63, 'a'.repeat(61)].join('.');

t.test('the name of a CSI driver is a subdomain of at most 63 bytes, in any case', async t => {
  const rows: readonly (readonly [name: string | null | undefined, ...expected: readonly string[]])[] = [
    ['csi.example.com'],
    ['CSI.Example.com'],
    [label63],
    ['a'.repeat(64), 'name: Too long: may not be more than 63 bytes'],
    [
      'é'.repeat(32),
      'name: Too long: may not be more than 63 bytes',
      `name: Invalid value: "${'é'.repeat(32)}": ${texts.dns1123Subdomain}`,
    ],
    ['a_b', `name: Invalid value: "a_b": ${texts.dns1123Subdomain}`],
    ['', 'name: Required value'],
    [null, 'name: Required value'],
    [undefined, 'name: Required value'],
  ];
  for (const [name, ...expected] of rows) t.strictSame(faults(csiDriverName, name), expected, String(name));
});

t.test('the name of a signer has a domain with two labels, and one path', async t => {
  const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
  const segments = 'should be a domain with at least two segments separated by dots';
  const labelOf = (shown: string, label: string, text: string): string =>
    `name: Invalid value: "${shown}": validating label "${label}": ${text}`;
  const rows: readonly (readonly [name: string | undefined, ...expected: readonly string[]])[] = [
    ['example.com/name'],
    ['example.com/a.b.c'],
    ['', 'name: Required value'],
    [undefined, 'name: Required value'],
    ['example.com', `name: Invalid value: "example.com": ${form}`],
    ['example.com/a/b', `name: Invalid value: "example.com/a/b": ${form}`],
    ['example/name', `name: Invalid value: "example": ${segments}`],
    ['Example.com/name', labelOf('Example.com', 'Example', texts.dns1123Label)],
    ['a.b_.C_.com/name', labelOf('a.b_.C_.com', 'b_', texts.dns1123Label)],
    ['example.com/', labelOf('', '', texts.dns1123Subdomain)],
    ['example.com/a..b', labelOf('a..b', '', texts.dns1123Subdomain)],
    ['com/Name', `name: Invalid value: "com": ${segments}`, labelOf('Name', 'Name', texts.dns1123Subdomain)],
    ['e"x.com/name', labelOf('e\\"x.com', 'e\\"x', texts.dns1123Label)],
  ];
  for (const [name, ...expected] of rows) t.strictSame(faults(signerName, name), expected, String(name));
});

t.test('the parts of the name of a signer are counted in bytes', async t => {
  const tooLong = (bytes: number): string => `name: Too long: may not be more than ${bytes} bytes`;
  t.strictSame(faults(signerName, `${subdomain253}/name`), []);
  t.strictSame(faults(signerName, `a${subdomain253}/name`).slice(0, 1), [tooLong(253)]);
  t.equal(faults(signerName, `${'é'.repeat(127)}.com/name`)[0], tooLong(253), '258 bytes and 131 characters');
  const longest = `${subdomain253}/${label63}.${subdomain253}`;
  t.equal(longest.length, 571);
  t.strictSame(faults(signerName, longest), [], 'a label, a dot and a subdomain');
  t.strictSame(faults(signerName, `${longest}a`), [tooLong(571)]);
});

t.test('a label has no dots, and each missing field is a fault of its own', async t => {
  t.strictSame(faults(dnsLabel, 'a.b'), ['name: Invalid value: "a.b": must not contain dots']);
  t.strictSame(faults(dnsLabel, 'a'), []);
  const missing = faultsOf<{ a?: string; b?: string; c?: string }>({ a: '', b: 'x' }, root =>
    notEmpty(root.at('a'), root.at('b'), root.at('c')),
  );
  t.strictSame(
    missing.map(({ path, message }) => `${path}: ${message}`),
    ['a: Required value', 'c: Required value'],
  );
});
