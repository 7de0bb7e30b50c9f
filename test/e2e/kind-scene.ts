/** Native kinds over a real socket. */
import type { Test } from 'tap';
import { runningServer } from '../apiserver/running.js';
import { type Reply, wire } from './wire.js';

export const json = 'application/json';
export const merge = 'application/merge-patch+json';
export const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

export interface Scene {
  ask(what: string, body?: unknown, type?: string): Promise<Reply>;
  cells(path: string): Promise<readonly unknown[]>;
}

export async function scene(t: Test): Promise<Scene> {
  const { send } = wire(t, await runningServer(t, { profile: 'kubernetes' }));
  return {
    ask: (what, body, type = json) =>
      send(what, { accept: json, ...(body !== undefined && { body: JSON.stringify(body), type }) }),
    async cells(path) {
      const { object } = await send(`GET ${path}`, { accept: table });
      return (object['rows'] as { cells: unknown[] }[])[0]?.cells ?? [];
    },
  };
}

/** `code: cause; cause`, of what was refused. */
export function refusal({ status, object }: Reply): string {
  const { causes = [] } = (object['details'] ?? {}) as { causes?: { field: string; message: string }[] };
  return `${status}: ${causes.map(({ field, message }) => `${field}: ${message}`).join('; ') || String(object.message)}`;
}

export const metadata = (name: string) => ({ name });
export const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };
export const selector = { matchLabels: { a: 'b' } };
export const core = '/api/v1/namespaces/default';
export const apps = '/apis/apps/v1/namespaces/default';
export const batch = '/apis/batch/v1/namespaces/default';

export interface Given {
  readonly name: string;
  readonly path: string;
  readonly kind: string;
  readonly given: object;
}

export const objectOf = ({ path, kind, given }: Given): object => {
  const [, root, group = '', version = ''] = path.split('/');
  const apiVersion = root === 'api' ? group : `${group}/${version}`;
  return { apiVersion, kind, metadata: metadata('x'), ...given };
};
