/** Native kinds over a real socket. */
import type { Test } from 'tap';
import { runningServer } from '../apiserver/running.js';
import { type Ask, inJson, wire } from './wire.js';

export const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

export interface Scene {
  readonly ask: Ask;
  cells(path: string): Promise<readonly unknown[]>;
}

export async function scene(t: Test): Promise<Scene> {
  const client = wire(t, await runningServer(t, { profile: 'kubernetes' }));
  return {
    ask: inJson(client),
    async cells(path) {
      const { object } = await client.send(`GET ${path}`, { accept: table });
      return (object['rows'] as { cells: unknown[] }[])[0]?.cells ?? [];
    },
  };
}

export const metadata = (name: string) => ({ name });
export const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };
export const selector = { matchLabels: { a: 'b' } };
/** What a CronJob is given. */
export const cronSpec = (schedule = '* * * * *') => ({
  schedule,
  jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
});
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
