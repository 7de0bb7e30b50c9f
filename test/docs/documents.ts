/** Reads the documents of the project. */
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

/** Returns the paths of all documents, relative to the root. */
export const documents = (): string[] => [...walk('.')].sort();

export const read = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');

/** Returns the text without its code blocks. */
export const prose = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '');

/** Returns the cells of all table rows, without header and separator rows. */
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

/** Returns the texts in backticks. */
export const quoted = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(match => match[1] ?? '');

/** Returns the link fragment of a heading, as GitHub makes it. */
const anchor = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');

export const anchors = (text: string): Set<string> =>
  new Set([...prose(text).matchAll(/^#+ (.*)$/gm)].map(match => anchor(match[1] ?? '')));
