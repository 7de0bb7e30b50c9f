/** Code, tests and pages contain no numbers of rules from a catalogue outside of the repository. */
import t from 'tap';
import { files, textOf } from './files.js';

/** Names of standards, algorithms, licences and time zones, which may be followed by a number. */
const standards: ReadonlySet<string> = new Set(
  'AES ASN BSD CRC CVE FNV GMT GPL ISO KEP RFC SHA SSH UTC UTF'.split(' '),
);

/** Returns the ids of rules in a text, each after its line number. */
function idsIn(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, at) =>
      [...line.matchAll(/\b([A-Z]{2,5}|E2E)-\d{1,3}[a-z]?\b/g)]
        .filter(([, prefix = '']) => !standards.has(prefix))
        .map(([id]) => `${at + 1}: ${id}`),
    );
}

t.test('ids of rules are recognised, names of standards are not', async t => {
  const id = ['OBJ', '015'].join('-');
  t.same(idsIn(`\n/** A write that changes nothing is none (${id}, ${id}b). */`), [`2: ${id}`, `2: ${id}b`]);
  t.same(idsIn('SHA-256 of the UTF-8, as RFC-793, CVE-2024-1234, [a-zA-Z0-9] and HTTP/1.1 have it'), []);
});

t.test('code, tests and pages contain no id of a rule', async t => {
  const found: string[] = [];
  for (const file of files('.', '.ts', '.mjs', '.cjs', '.md', '.sh', '.yaml')) {
    if (file.startsWith('test/data/')) continue; // recorded
    found.push(...idsIn(textOf(file)).map(each => `${file}:${each}`));
  }
  t.same(found, [], 'write what the id means, or name the upstream symbol: as PATH SYMBOL');
});
