/** Comments are sentences with a subject, and software is "it": what can be checked of `CONTRIBUTING.md`, "How we write". */
import t from 'tap';
import { files, textOf } from './files.js';

/** Returns the openings of comments that are no sentences, and pronouns of persons in comments, each after its line number. */
function faultsIn(text: string): string[] {
  return text.split('\n').flatMap((line, at) => {
    const [, comment] = /(?:\/\*\*|^\s*\*|(?<![:'"`])\/\/)\s+(.*)/.exec(line) ?? [];
    if (comment === undefined) return [];
    const opening = /^(?:Of|Who|Whom|Whose|Whoever)\b.*/.exec(comment)?.[0];
    const pronoun = /\b(?:he|him|his|himself|she|her|herself)\b/i.exec(comment)?.[0];
    return [opening, pronoun].filter(fault => fault !== undefined).map(fault => `${at + 1}: ${fault}`);
  });
}

t.test('openings and pronouns are recognised', async t => {
  // The examples are joined from parts, since this file is searched, too.
  const opening = ['Of', 'a'].join(' ');
  t.same(faultsIn(`\n/** ${opening} page. */`), [`2: ${opening} page. */`]);
  t.same(faultsIn("const url = 'https://his.example';"), []);
  t.same(faultsIn(['//', 'A client and his request.'].join(' ')), ['1: his']);
  t.same(faultsIn('/** Returns the headers of this page. */'), []);
});

t.test('comments are sentences, and software is "it"', async t => {
  const found: string[] = [];
  for (const file of files('.', '.ts', '.mjs', '.cjs'))
    found.push(...faultsIn(textOf(file)).map(fault => `${file}:${fault}`));
  t.same(found, []);
});
