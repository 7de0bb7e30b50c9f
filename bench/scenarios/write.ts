import { configMap, configMaps, deployment, deployments } from '../objects.js';
import { repeat } from '../repeat.js';
import { measure, type Sample } from '../sample.js';
import { fill, partOf, type Scenario } from './scenario.js';

export const create: Scenario = {
  name: 'create',
  about: 'POST of ConfigMaps, one, 16 and 64 at a time',
  async run(target, { namespace, count }) {
    const path = configMaps(namespace);
    const samples: Sample[] = [];
    for (const width of [1, 16, 64]) {
      const load = { width, count: width === 1 ? partOf(count, 4) : count };
      const one = async (index: number): Promise<void> =>
        void (await target.send('POST', path, configMap(`c${width}-${index}`)));
      samples.push(await measure(target, `create x${width}`, () => repeat(load, one)));
    }
    return samples;
  },
};

interface Change {
  readonly name: string;
  readonly method: string;
  readonly type?: string;
  readonly query?: string;
  readonly body: (name: string, round: number) => string;
}

const label = (_: string, round: number): string => JSON.stringify({ metadata: { labels: { round: `t${round}` } } });

const environment = (round: number) => [{ name: 'web', env: [{ name: 'ROUND', value: `${round}` }] }];

const changes: readonly Change[] = [
  {
    name: 'update',
    method: 'PUT',
    body: (name, round) => deployment(name).replace('"env":[', `"env":[{"name":"ROUND","value":"${round}"},`),
  },
  { name: 'merge patch', method: 'PATCH', type: 'application/merge-patch+json', body: label },
  {
    name: 'strategic patch',
    method: 'PATCH',
    type: 'application/strategic-merge-patch+json',
    body: (_, round) => JSON.stringify({ spec: { template: { spec: { containers: environment(round) } } } }),
  },
  {
    name: 'apply',
    method: 'PATCH',
    type: 'application/apply-patch+yaml',
    query: '?fieldManager=bench-apply&force=true',
    body: (name, round) =>
      JSON.stringify({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, labels: { round: `a${round}` } },
        spec: { template: { spec: { containers: environment(round) } } },
      }),
  },
];

const changed = 50;

export const change: Scenario = {
  name: 'change',
  about: `PUT and PATCH of ${changed} Deployments, 16 at a time`,
  async run(target, { namespace, count }) {
    const path = deployments(namespace);
    await fill(target, path, changed, deployment);
    const samples: Sample[] = [];
    for (const { name, method, type, query = '', body } of changes) {
      const one = async (index: number): Promise<void> => {
        const object = `o-${index % changed}`;
        await target.send(method, `${path}/${object}${query}`, body(object, index), type);
      };
      const load = { count: partOf(count, 2), width: 16 };
      samples.push(await measure(target, `${name} x16`, () => repeat(load, one)));
    }
    return samples;
  },
};
