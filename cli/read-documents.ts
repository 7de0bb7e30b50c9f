/** Reads the documents of files, folders, URLs and the standard input, as kubectl does. */
import fs from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { goQuote } from '../lib/go/go-text.js';
import { causeText } from '../lib/logging/cause.js';
import { readYaml } from '../lib/yaml/read-yaml.js';
import { UsageError } from './flags/flags.js';

export interface Document {
  /** A file, a URL, or STDIN. */
  readonly source: string;
  readonly value: unknown;
}

interface Source {
  readonly source: string;
  readonly text: string;
}

/** as cli-runtime/pkg/resource FileExtensions */
const extensions: ReadonlySet<string> = new Set(['.json', '.yaml', '.yml']);

/** Milliseconds in which a URL must answer. */
const timeoutMs = 30_000;

async function fetched(url: string): Promise<Source> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).catch((cause: unknown) => {
    throw new UsageError(`unable to read URL ${goQuote(url)}: ${causeText(cause)}`);
  });
  if (response.ok) return { source: url, text: await response.text() };
  const { status, statusText } = response;
  throw new UsageError(
    `unable to read URL ${goQuote(url)}, server reported ${status} ${statusText}, status code=${status}`,
  );
}

/** Returns the files of a folder, in the order of their names. */
async function filesIn(folder: string, recursive: boolean): Promise<string[]> {
  const files: string[] = [];
  const entries = await fs.readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = path.join(folder, entry.name);
    if (!entry.isDirectory()) {
      if (extensions.has(path.extname(entry.name))) files.push(file);
    } else if (recursive) files.push(...(await filesIn(file, recursive)));
  }
  return files;
}

async function filesAt(file: string, recursive: boolean): Promise<string[]> {
  const stats = await fs.stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new UsageError(`the path ${goQuote(file)} does not exist`);
    throw new UsageError(`the path ${goQuote(file)} cannot be accessed: ${error.message}`);
  });
  if (!stats.isDirectory()) return [file];
  const files = await filesIn(file, recursive);
  if (files.length > 0) return files;
  throw new UsageError(`error reading [${file}]: recognized file extensions are [${[...extensions].join(' ')}]`);
}

async function sourcesOf(name: string, recursive: boolean): Promise<Source[]> {
  if (name === '-') return [{ source: 'STDIN', text: await text(process.stdin) }];
  if (/^https?:\/\//.test(name)) return [await fetched(name)];
  const sources: Source[] = [];
  for (const file of await filesAt(name, recursive))
    sources.push({ source: file, text: await fs.readFile(file, 'utf8') });
  return sources;
}

/** Returns the documents of a text. Empty ones are left out. as apimachinery/pkg/util/yaml NewYAMLOrJSONDecoder */
function documentsIn({ source, text }: Source): Document[] {
  const documents: Document[] = [];
  for (const part of text.replace(/^\uFEFF/, '').split(/^---(?=\s|$).*$/m)) {
    const read = readYaml(part);
    if (read.type === 'error') throw new UsageError(`error parsing ${source}: ${read.text}`);
    if (read.value !== null && read.value !== undefined) documents.push({ source, value: read.value });
  }
  return documents;
}

/**
 * Returns the documents of files, folders, URLs and `-`, which is the standard input. Rejects with a UsageError if one cannot be read.
 * as cli-runtime/pkg/resource Builder.FilenameParam
 */
export async function readDocuments(names: readonly string[], recursive = false): Promise<Document[]> {
  const documents: Document[] = [];
  for (const name of names)
    for (const source of await sourcesOf(name, recursive)) documents.push(...documentsIn(source));
  return documents;
}
