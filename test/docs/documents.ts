/** The project's documents, as the tests of them read them. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

const skipped = new Set(['node_modules', 'dist', 'data', '.git', '.tap', '.flagship']);

function* walk(folder: string): Generator<string> {
  for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!skipped.has(entry.name)) yield* walk(name);
    } else if (name.endsWith('.md')) yield name;
  }
}

/** Paths of all documents, relative to the root. */
export const documents = (): string[] => [...walk('.')].sort();

export const read = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');

/** Without blocks of code: what is left is prose, tables and links. */
export const prose = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '');

/** The cells of the rows of all tables, without heads and rules. */
export function tableRows(text: string): string[][] {
  const rows: string[][] = [];
  for (const line of prose(text).split('\n')) {
    if (!line.startsWith('|')) continue;
    const cells = line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map(cell => cell.trim());
    rows.push(cells);
  }
  return rows.filter((row, at) => !isRule(row) && !isRule(rows[at + 1]));
}

const isRule = (row: readonly string[] | undefined): boolean => row?.every(cell => /^:?-+:?$/.test(cell)) ?? false;

/** What stands in backticks. */
export const quoted = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(match => match[1] ?? '');

/** The name under which a heading can be linked to, as GitHub makes it. */
const anchor = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');

export const anchors = (text: string): Set<string> =>
  new Set([...prose(text).matchAll(/^#+ (.*)$/gm)].map(match => anchor(match[1] ?? '')));
