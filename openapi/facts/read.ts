import fs from 'node:fs';

/** Reads a generated table in `data/`. Callers read tables on first use, so that they do not delay the start. */
export function readTable(name: string): unknown {
  return JSON.parse(fs.readFileSync(new URL(import.meta.resolve(`#dist/openapi/facts/data/${name}`)), 'utf8'));
}
