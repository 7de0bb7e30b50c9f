import { configMap, configMaps } from '../objects.js';
import { repeat } from '../repeat.js';
import { measure, type Sample } from '../sample.js';
import { fill, partOf, type Scenario } from './scenario.js';

const stored = 100;

export const get: Scenario = {
  name: 'get',
  about: 'GET of ConfigMaps, one and 16 at a time',
  async run(target, { namespace, count }) {
    const path = configMaps(namespace);
    await fill(target, path, stored, configMap);
    const samples: Sample[] = [];
    for (const width of [1, 16]) {
      const load = { width, count: width === 1 ? partOf(count, 2) : count };
      const one = async (index: number): Promise<void> =>
        void (await target.send('GET', `${path}/o-${index % stored}`));
      samples.push(await measure(target, `get x${width}`, () => repeat(load, one)));
    }
    return samples;
  },
};

const listOf = (size: number, part: number): Scenario => ({
  name: `list-${size}`,
  about: `LIST of ${size} ConfigMaps as JSON, four at a time`,
  async run(target, { namespace, count }) {
    const path = configMaps(namespace);
    await fill(target, path, size, configMap);
    const one = async (): Promise<void> => void (await target.send('GET', path));
    return [await measure(target, `list ${size} x4`, () => repeat({ count: partOf(count, part), width: 4 }, one))];
  },
});

export const list500 = listOf(500, 10);
export const list5000 = listOf(5000, 50);
