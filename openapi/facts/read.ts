import fs from 'node:fs';

/** One of the generated tables of `data/`. They are read when first asked for: a start must not wait for them. */
export function readTable(name: string): unknown {
  return JSON.parse(fs.readFileSync(new URL(import.meta.resolve(`#dist/openapi/facts/data/${name}`)), 'utf8'));
}
