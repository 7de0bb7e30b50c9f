/** Each record in docs/decisions has the same five parts, names files that exist, and is listed in the README beside it. */
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { prose, quoted, read, root, tableRows } from './documents.js';

const folder = 'docs/decisions';
const parts = ['Status', 'Context', 'Options measured', 'Decision', 'Consequences'];
/** A record is one page. Longer text is documentation and belongs in another file of docs/. */
const maxLines = 60;

interface Decision {
  readonly file: string;
  readonly text: string;
  /** Headings below the title, each with the text that follows it. */
  readonly sections: readonly (readonly [string, string])[];
}

function decision(file: string): Decision {
  const text = read(path.posix.join(folder, file));
  const [, ...sections] = prose(text).split(/^## /m);
  return {
    file,
    text,
    sections: sections.map(section => {
      const [heading = '', ...lines] = section.split('\n');
      return [heading.trim(), lines.join('\n').trim()] as const;
    }),
  };
}

const decisions = fs
  .readdirSync(path.join(root, folder))
  .filter(name => name !== 'README.md')
  .sort()
  .map(decision);

const numberOf = ({ file }: Decision): string => file.slice(0, 4);
const titleOf = ({ text }: Decision): string => /^# \d{4}: (.+)$/m.exec(text)?.[1] ?? '';
const statusOf = ({ sections: [status] }: Decision): string => /^\w+/.exec(status?.[1] ?? '')?.[0] ?? '';

t.test('files are numbered without a gap, and their titles have the same number', async t => {
  t.ok(decisions.length >= 16);
  for (const [index, one] of decisions.entries()) {
    const number = String(index + 1).padStart(4, '0');
    t.match(one.file, /^\d{4}-[a-z0-9-]+\.md$/);
    t.equal(numberOf(one), number, one.file);
    t.ok(one.text.startsWith(`# ${number}: `), `${one.file} begins with its title`);
  }
});

t.test('each record has the five parts in order, on one page', async t => {
  for (const one of decisions) {
    t.strictSame(
      one.sections.map(([heading]) => heading),
      parts,
      one.file,
    );
    const empty = one.sections.filter(([, body]) => body === '').map(([heading]) => heading);
    t.strictSame(empty, [], `${one.file} has no empty part`);
    t.ok(['Proposed', 'Accepted', 'Superseded'].includes(statusOf(one)), `${one.file} has a status`);
    t.ok(one.text.split('\n').length <= maxLines, `${one.file} has at most ${maxLines} lines`);
  }
});

t.test('the README lists each record with its title and status, in order', async t => {
  const listed = tableRows(read(path.posix.join(folder, 'README.md')));
  t.strictSame(
    listed,
    decisions.map(one => [`[${numberOf(one)}](${one.file})`, titleOf(one), statusOf(one)]),
  );
});

t.test('files and folders that a decision names exist', async t => {
  const isPlace = (name: string): boolean => /^[\w.-]+(?:\/[\w.-]+)+$/.test(name);
  const isBuilt = (name: string): boolean => name.startsWith('dist/');
  for (const one of decisions.filter(one => statusOf(one) !== 'Superseded')) {
    const named = quoted(prose(one.text)).filter(name => isPlace(name) && !isBuilt(name));
    const missing = named.filter(name => !fs.existsSync(path.join(root, name)));
    t.strictSame(missing, [], one.file);
  }
});
