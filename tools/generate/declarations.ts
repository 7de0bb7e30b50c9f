import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { GoStructs } from './go-structs.js';
import { packageOf, shortName } from './types-table.js';
import type { Component } from './upstream.js';

const head = '// Made by `npm run generate`. Do not edit.\n';

/** Returns the part of a schema that a TypeScript type can express, with fields in the order of their declaration. */
function bare(name: string, component: Component, structs: GoStructs): Component {
  const ref = component.$ref ?? component.allOf?.[0]?.$ref;
  if (ref !== undefined) return { $ref: ref };
  const order = component.properties ? (structs(name)?.map(f => f.json) ?? []) : [];
  return {
    ...(component.type !== undefined && { type: component.type }),
    ...('oneOf' in component && { oneOf: component.oneOf }),
    ...(component.items && { items: bare('', component.items, structs) }),
    ...(component.additionalProperties && {
      additionalProperties: bare('', component.additionalProperties, structs),
    }),
    ...(component.required && { required: component.required }),
    ...(order.length && {
      properties: Object.fromEntries(order.map(f => [f, bare('', component.properties?.[f] ?? {}, structs)])),
    }),
    // A type without fields (RawExtension, FieldsV1) accepts any.
    ...(component.type === 'object' &&
      !order.length &&
      !component.additionalProperties && { additionalProperties: {} }),
  };
}

function* refs(component: Component): Generator<string> {
  if (component.$ref !== undefined) yield component.$ref.slice('#/components/schemas/'.length);
  for (const part of [component.items, component.additionalProperties, ...Object.values(component.properties ?? {})])
    if (part) yield* refs(part);
}

function reachable(roots: readonly string[], all: ReadonlyMap<string, Component>): string[] {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const next of refs(all.get(name) ?? {})) visit(next);
  };
  roots.forEach(visit);
  return [...found].sort();
}

/** Returns the output of openapi-typescript for one document with the given schemas. */
function declarationsOf(root: string, schemas: Readonly<Record<string, Component>>): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'flagship-generate-'));
  try {
    const [input, output] = [path.join(folder, 'openapi.json'), path.join(folder, 'types.d.ts')];
    const info = { title: 'Kubernetes', version: 'v1' };
    fs.writeFileSync(input, JSON.stringify({ openapi: '3.0.0', info, paths: {}, components: { schemas } }));
    const cli = path.join(root, 'node_modules', 'openapi-typescript', 'bin', 'cli.js');
    const run = spawnSync(process.execPath, [cli, input, '-o', output, '--default-non-nullable=false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (run.status !== 0) throw new Error(`openapi-typescript: ${run.stdout}${run.stderr}`);
    return fs.readFileSync(output, 'utf8');
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** Drops comments, and the exports that are empty without paths. */
function components(text: string): string {
  const start = text.indexOf('export interface components {');
  const end = text.indexOf('\n}\n', start) + 3;
  const body = text.slice(start, end).replaceAll(/^\s*\/\*\*[^]*?\*\/\n/gm, '');
  return head + body.replaceAll('    ', ' ');
}

/** Returns the module of a package: `io.k8s.api.apps.v1` -> `apps-v1`. */
const moduleOf = (packageName: string): string => packageName.split('.').slice(-2).join('-');

function aliases(names: readonly string[], all: ReadonlyMap<string, Component>): string {
  const lines = names.map(name => {
    const type = `S['${name}']`;
    const { 'x-kubernetes-group-version-kind': kinds, properties } = all.get(name) ?? {};
    const isKind = kinds && properties?.metadata?.allOf?.[0]?.$ref?.endsWith('.ObjectMeta');
    return `export type ${shortName(name)} = ${isKind ? `Kind<${type}>` : type};`;
  });
  const imports = ["import type { components } from './kubernetes.js';"];
  if (lines.some(line => line.includes('Kind<'))) imports.push("import type { Kind } from './kind.js';");
  return `${head}${imports.join('\n')}\ntype S = components['schemas'];\n${lines.join('\n')}\n`;
}

const kind = `${head}import type { KubeObject } from '../interface.js';
/** An object of a kind: its own fields beside those that every object has. */
export type Kind<T> = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'> & {
  [F in keyof T as F extends 'apiVersion' | 'kind' | 'metadata' ? never : F]: T[F];
};
`;

/** Writes TypeScript for the given types and those that they use: `kubernetes.d.ts`, and one module of names per group-version. */
export function writeDeclarations(
  root: string,
  roots: readonly string[],
  all: ReadonlyMap<string, Component>,
  structs: GoStructs,
): void {
  const folder = path.join(root, 'openapi', 'gen');
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const bareTypes = new Map([...all].map(([name, component]) => [name, bare(name, component, structs)]));
  const names = reachable(roots, bareTypes);
  const schemas = Object.fromEntries(names.map(name => [name, bareTypes.get(name) ?? {}]));
  fs.writeFileSync(path.join(folder, 'kubernetes.d.ts'), components(declarationsOf(root, schemas)));
  fs.writeFileSync(path.join(folder, 'kind.d.ts'), kind);
  for (const packageName of new Set(names.map(packageOf))) {
    if (!/\.v\d\w*$/.test(packageName)) continue;
    const own = names.filter(name => packageOf(name) === packageName);
    fs.writeFileSync(path.join(folder, `${moduleOf(packageName)}.d.ts`), aliases(own, all));
  }
}
