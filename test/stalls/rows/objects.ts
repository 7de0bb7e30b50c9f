/** Requests and objects that several rows use. */
import type { HostileRequest } from '../row.js';

export const configMaps = '/api/v1/namespaces/default/configmaps';
export const secrets = '/api/v1/namespaces/default/secrets';
export const deployments = '/apis/apps/v1/namespaces/default/deployments';
export const pods = '/api/v1/namespaces/default/pods';

/** Slightly less than the limit for a request body, in bytes. */
export const maxBytes = 3_000_000;

export const object = (apiVersion: string, kind: string, name: string, more: object = {}): object => {
  const { metadata, ...rest } = more as { metadata?: object };
  return { apiVersion, kind, metadata: { name, ...metadata }, ...rest };
};

export const configMap = (name: string, more: object = {}): object => object('v1', 'ConfigMap', name, more);

export const get = (path: string, headers: Readonly<Record<string, string>> = {}): HostileRequest => ({
  method: 'GET',
  path,
  headers,
});
/** The headers of a request for a Table. */
export const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

export const post = (path: string, body: unknown, type = 'application/json'): HostileRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': type },
  body,
});
export const put = (path: string, body: unknown): HostileRequest => ({ method: 'PUT', path, body });
export const remove = (path: string): HostileRequest => ({ method: 'DELETE', path });

/** Returns a PATCH request. The body is JSON, which is also valid YAML for `apply`. */
export function patch(
  type: 'merge' | 'strategic-merge' | 'json' | 'apply',
  path: string,
  body: unknown,
): HostileRequest {
  const form = type === 'apply' ? 'yaml' : 'json';
  const url = type === 'apply' ? `${path}?fieldManager=stall&force=true` : path;
  return { method: 'PATCH', path: url, headers: { 'content-type': `application/${type}-patch+${form}` }, body };
}

export const range = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: Math.floor(count) }, (_, i) => make(i));

/** Returns an object with `count` entries. */
export const entries = (count: number, make: (i: number) => readonly [string, unknown]): Record<string, unknown> =>
  Object.fromEntries(range(count, make));

/** Returns joined lines of about `size` bytes in total. */
export function many(size: number, line: (i: number) => string): string {
  const lines: string[] = [];
  for (let length = 0, i = 0; length < size; i++) {
    const next = line(i);
    lines.push(next);
    length += Buffer.byteLength(next);
  }
  return lines.join('');
}

export const deployment = (name: string, containers: readonly object[], more: object = {}): object =>
  object('apps/v1', 'Deployment', name, {
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers } },
      ...more,
    },
  });

export const container = (i: number): object => ({ name: `c${i}`, image: 'i' });
