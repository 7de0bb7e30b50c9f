import { lines } from '../../aggregation/remote/lines.js';
import { deployment, deployments, policies, policy } from '../objects.js';
import { measure, repeat } from '../sample.js';
import { partOf, type Scenario } from './scenario.js';

const replicas = 2;
const patienceMs = 300_000;

interface Event {
  readonly object: {
    readonly metadata: { readonly name: string };
    readonly status?: { readonly readyReplicas?: number };
  };
}

export const propagate: Scenario = {
  name: 'propagate',
  about:
    'Deployments and one policy: from the create of a template until its status counts the ready replicas of the members',
  skip: ({ members }) => (members.length === 0 ? 'there are no member contexts' : undefined),
  async run(target, { namespace, count }) {
    const path = deployments(namespace);
    const total = partOf(count, 4);
    const stopping = new AbortController();
    const timeout = AbortSignal.timeout(patienceMs);
    const body = await target.stream(`${path}?watch=1&resourceVersion=0`, AbortSignal.any([stopping.signal, timeout]));
    const ready = new Map<string, number>();
    const allReady = (async () => {
      for await (const line of lines(body)) {
        const { object } = JSON.parse(line.toString('utf8')) as Event;
        const { name } = object.metadata;
        if (object.status?.readyReplicas === replicas && !ready.has(name)) ready.set(name, performance.now());
        if (ready.size === total) return;
      }
    })().catch((error: unknown) => {
      throw new Error(`${ready.size} of ${total} became ready within ${patienceMs / 1000} s`, { cause: error });
    });
    const sample = await measure(target, `propagate ${total}`, async () => {
      const began = new Map<string, number>();
      await target.send('POST', policies(namespace), policy(target.members));
      const writing = repeat({ count: total, width: 16 }, async index => {
        const name = `d-${index}`;
        began.set(name, performance.now());
        await target.send('POST', path, deployment(name, replicas));
      });
      await Promise.all([writing, allReady]);
      return [...ready].map(([name, at]) => at - (began.get(name) ?? NaN));
    });
    stopping.abort();
    return [sample];
  },
};
