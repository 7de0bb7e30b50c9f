import type { ProtobufTable } from '../../openapi/facts/tables.js';
import { packageOf } from './types-table.js';
import type { Component } from './upstream.js';

/** Content of protobuf.json: package -> message -> field -> [number, type]. */
export interface ProtobufMessages {
  readonly packages: Readonly<
    Record<string, Readonly<Record<string, Readonly<Record<string, readonly [number, string]>>>>>
  >;
}

/** Returns the OpenAPI name of a protobuf package: `k8s.io.kube_aggregator.pkg...` is `io.k8s.kube-aggregator.pkg...`. */
const openApiName = (name: string): string => name.replace(/^k8s\.io\./, 'io.k8s.').replaceAll('_', '-');

/** Packages of messages besides those of the OpenAPI types. */
const furtherPackages = ['io.k8s.api.apidiscovery.v2', 'io.k8s.apimachinery.pkg.runtime'];

function typeExpression(type: string): string {
  const repeated = /^repeated (.+)$/.exec(type)?.[1];
  if (repeated !== undefined) return '[]' + typeExpression(repeated);
  const mapped = /^map<string,\s*(.+)>$/.exec(type)?.[1];
  if (mapped !== undefined) return '{}' + typeExpression(mapped);
  return type.includes('.') ? openApiName(type) : type;
}

/** Returns the JSON name of a field, or `~` if its message is embedded in the JSON of the outer one. */
function jsonName(name: string, type: string, component: Component | undefined): string {
  const names = Object.keys(component?.properties ?? {});
  if (!names.length || names.includes(name)) return name;
  // Some messages have irregular names: Webhooks, uID, aPIGroup, xKubernetesListType.
  const letters = (n: string): string => n.replaceAll(/[^a-zA-Z]/g, '').toLowerCase();
  const found = names.find(n => letters(n) === letters(name));
  if (found === undefined && !/^[A-Z]|\./.test(type)) throw new Error(`no JSON field for ${name} ${type}`);
  return found ?? '~';
}

/** Returns the numbers and types of the fields of every message, by their OpenAPI and JSON names. */
export function protobufTable(messages: ProtobufMessages, types: ReadonlyMap<string, Component>): ProtobufTable {
  const wanted = new Set([...[...types.keys()].map(packageOf), ...furtherPackages]);
  const rows = Object.entries(messages.packages)
    .map(([name, package_]) => [openApiName(name), package_] as const)
    .filter(([name]) => wanted.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    rows.map(([home, package_]) => [
      home,
      Object.fromEntries(
        Object.entries(package_).map(([message, fields]) => [
          message,
          Object.entries(fields).map(([name, [number, type]]) => {
            const expression = typeExpression(type);
            return `${jsonName(name, type, types.get(`${home}.${message}`))} ${number} ${expression}`;
          }),
        ]),
      ),
    ]),
  );
}
