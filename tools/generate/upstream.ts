import fs from 'node:fs';
import path from 'node:path';

/** A component schema of an upstream OpenAPI v3 document. */
export interface Component {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Component>>;
  readonly required?: readonly string[];
  readonly items?: Component;
  readonly additionalProperties?: Component;
  readonly allOf?: readonly Component[];
  readonly $ref?: string;
  readonly default?: unknown;
  readonly 'x-kubernetes-group-version-kind'?: readonly { group: string; version: string; kind: string }[];
  readonly [extension: `x-kubernetes-${string}`]: unknown;
}

export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, Component>> };
  readonly paths: Readonly<Record<string, unknown>>;
}

export function readJson(file: string): unknown {
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

/** Returns the documents of all group-versions: `apis/apps/v1` -> document. */
export function openApiDocuments(upstream: string): Map<string, OpenApiDocument> {
  const folder = path.join(upstream, 'openapi-v3');
  const documents = new Map<string, OpenApiDocument>();
  for (const file of fs.readdirSync(folder).sort()) {
    const name = file.replace(/_openapi\.json$/, '').replaceAll('__', '/');
    documents.set(name, readJson(path.join(folder, file)) as OpenApiDocument);
  }
  return documents;
}

/** Returns all component schemas by name. Documents differ only in the group-version-kinds of DeleteOptions and WatchEvent. */
export function components(documents: ReadonlyMap<string, OpenApiDocument>): Map<string, Component> {
  const all = new Map<string, Component>();
  for (const document of documents.values()) {
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
      if (!all.has(name)) all.set(name, schema);
    }
  }
  return new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
}
