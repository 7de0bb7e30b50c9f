import { configMap, configMaps } from '../objects.js';
import { measure } from '../sample.js';
import { partOf, type Scenario } from './scenario.js';

const watchers = 100;
const newline = 0x0a;

interface Listener {
  /** Arrival times of the events, in the order of the writes. */
  readonly seen: number[];
  readonly done: Promise<void>;
}

/** Counts events without parsing them: each line is one event, in the order of the writes. */
function listen(body: AsyncIterable<Buffer>, count: number): Listener {
  const seen: number[] = [];
  const read = async (): Promise<void> => {
    for await (const chunk of body) {
      const now = performance.now();
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) seen.push(now);
      if (seen.length >= count) return;
    }
    throw new Error(`a watch ended after ${seen.length} of ${count} events`);
  };
  return { seen, done: read() };
}

export const watch: Scenario = {
  name: 'watch',
  about: `${watchers} watchers of the same ConfigMaps: from the answer of a write to its event, each of them`,
  async run(target, { namespace, count }) {
    const path = configMaps(namespace);
    const events = partOf(count, 5);
    const endings = Array.from({ length: watchers }, () => new AbortController());
    const bodies = await Promise.all(
      endings.map(({ signal }) => target.stream(`${path}?watch=1&resourceVersion=0`, signal)),
    );
    const listeners = bodies.map(body => listen(body, events));
    const sample = await measure(target, `watch ${watchers} x ${events}`, async () => {
      const answered: number[] = [];
      for (let index = 0; index < events; index++) {
        await target.send('POST', path, configMap(`w-${index}`));
        answered.push(performance.now());
      }
      await Promise.all(listeners.map(({ done }) => done));
      return listeners.flatMap(({ seen }) => answered.map((at, index) => Math.max(0, (seen[index] ?? NaN) - at)));
    });
    for (const ending of endings) ending.abort();
    return [sample];
  },
};
