/**
 * `npm run generate -- --upstream DIR [--kubernetes-source DIR]`: generates the tables of openapi/facts/data and the objects of a fresh
 * server (authn/bootstrap/data) from the data of a Kubernetes release. DIR holds `openapi-v3/`, `discovery/`, `protobuf.json` and
 * `fresh-server.json`. Without a source tree, its facts (zero values, enums, priorities) are taken from the tables of the last run.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { ResourcesTable, TypesTable } from '../openapi/facts/tables.js';
import { bootstrapTablesOf } from './generate/bootstrap-tables.js';
import { writeDeclarations } from './generate/declarations.js';
import { enumsTable } from './generate/enums-table.js';
import { goStructs } from './generate/go-structs.js';
import { protobufTable, type ProtobufMessages } from './generate/protobuf-table.js';
import { prioritiesFromSource, prioritiesFromTable, resourcesTable } from './generate/resources-table.js';
import { structsOf, typesTable } from './generate/types-table.js';
import { components, openApiDocuments, readJson } from './generate/upstream.js';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const data = path.join(root, 'openapi', 'facts', 'data');

/** Returns JSON with one line per leaf of the given depth: small, and readable in a diff. */
function compactJson(value: unknown, depth: number): string {
  if (depth === 0 || typeof value !== 'object' || value === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const members = Array.isArray(value)
    ? value.map(v => compactJson(v, depth - 1))
    : Object.entries(value).map(([k, v]) => `${JSON.stringify(k)}:${compactJson(v, depth - 1)}`);
  return `${open}\n${members.join(',\n')}\n${close}`;
}

function write(name: string, value: unknown, depth: number, folder = data): void {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, name), compactJson(value, depth) + '\n');
}

const { values } = parseArgs({ options: { upstream: { type: 'string' }, 'kubernetes-source': { type: 'string' } } });
if (values.upstream === undefined) {
  console.error('usage: npm run generate -- --upstream DIR [--kubernetes-source DIR]');
  process.exit(2);
}
const upstream = path.resolve(values.upstream);
const source = values['kubernetes-source'];

const structs = source
  ? goStructs(path.resolve(source))
  : structsOf(readJson(path.join(data, 'types.json')) as TypesTable);
const priorities = source
  ? prioritiesFromSource(path.resolve(source))
  : prioritiesFromTable(readJson(path.join(data, 'resources.json')) as ResourcesTable);

const documents = openApiDocuments(upstream);
const types = components(documents);
write('types.json', typesTable(types, structs), 2);
if (source) write('enums.json', enumsTable(path.resolve(source), types), 1);
write('resources.json', resourcesTable(upstream, priorities, documents), 1);
write('fresh-server.json', bootstrapTablesOf(upstream), 2, path.join(root, 'authn', 'bootstrap', 'data'));
write('protobuf.json', protobufTable(readJson(path.join(upstream, 'protobuf.json')) as ProtobufMessages, types), 2);

/** The types with a kind in a stable version, which a server serves by default. */
const stableKinds = [...types]
  .filter(([, type]) => type['x-kubernetes-group-version-kind']?.some(k => /^v\d+$/.test(k.version)))
  .map(([name]) => name);
writeDeclarations(root, stableKinds, types, structs);
