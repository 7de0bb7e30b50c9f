/**
 * Members that fail do not delay the statuses of others, are not flooded with requests, and get everything when they are back. Several members
 * fail at once, each in its own way, so that one control plane shows many faults.
 */
import t, { type Test } from 'tap';
import type { BadMember, FaultScene } from './fault-scene.js';
import { faultScene } from './fault-scene.js';
import type { Fault } from './faulty-front.js';
import { percentile } from '../../../bench/sample.js';
import { wallSlowness } from '../../stalls/slowness.js';

interface FaultCase {
  readonly name: string;
  /** Begins the fault. */
  readonly begin: (scene: FaultScene, member: BadMember) => Promise<End>;
  /** The fault begins while the control plane is stopped; without it, before. */
  readonly beginsWhileStopped?: boolean;
  /** Maximum number of requests to the member, without those of its health checks. */
  readonly maxRequests: number;
}

/** Ends a fault. */
type End = () => Promise<void>;

/**
 * A fault of all requests stops the Works of the member. The other answers may concern single objects, so that each of nine Works is tried for each of
 * seven changes, and again about twelve times after each of two starts, since the delay is doubled each time; an attempt takes two requests.
 */
const [ofMember, ofObjects] = [100, 9 * (7 + 2 * 12) * 2];

const hour = { 'retry-after': '3600' };

/** Begins a fault of the proxy. */
const inFront =
  (fault: Fault) =>
  (_: FaultScene, { front }: BadMember): Promise<End> => {
    front.set(fault);
    const end = (): Promise<void> => Promise.resolve(front.set(undefined));
    return Promise.resolve(end);
  };

/** All requests get this answer. */
const answers = (code: number, headers = {}): FaultCase['begin'] => inFront({ kind: 'answer', code, headers });

async function restartEmpty(scene: FaultScene, member: BadMember): Promise<End> {
  member.front.set({ kind: 'other server' });
  const { token } = await scene.replace(member);
  return async () => {
    member.front.set(undefined);
    await scene.setSecret(member, { token });
  };
}

async function changeCertificate(scene: FaultScene, member: BadMember): Promise<End> {
  await member.front.renewAuthority();
  member.front.set({ kind: 'other server' });
  return async () => {
    await scene.setSecret(member, { caBundle: member.front.authority });
    member.front.set(undefined);
  };
}

const isList = /^\/apis\/apps\/v1\/deployments/;

/** Each member behind a proxy has one of these faults at a time. */
const rounds: readonly (readonly FaultCase[])[] = [
  [
    { name: 'accepts connections and never answers', begin: inFront({ kind: 'black hole' }), maxRequests: ofMember },
    { name: 'answers after 30 seconds', begin: inFront({ kind: 'slow', delayMs: 30_000 }), maxRequests: ofMember },
    { name: 'resets connections', begin: inFront({ kind: 'reset' }), maxRequests: ofMember },
    { name: 'answers 401', begin: answers(401), maxRequests: ofMember },
    { name: 'answers 429', begin: answers(429, hour), maxRequests: ofMember },
  ],
  [
    { name: 'answers 403', begin: answers(403), maxRequests: ofObjects },
    { name: 'answers 404', begin: answers(404), maxRequests: ofObjects },
    { name: 'answers 409', begin: answers(409), maxRequests: ofObjects },
    { name: 'answers 410', begin: answers(410), maxRequests: ofObjects },
    { name: 'answers 500', begin: answers(500, hour), maxRequests: ofObjects },
  ],
  [
    { name: 'answers 503', begin: answers(503), maxRequests: ofMember },
    { name: 'is restarted empty', begin: restartEmpty, maxRequests: ofMember },
    { name: 'has another certificate', begin: changeCertificate, maxRequests: ofMember },
    {
      name: 'does not serve Deployments',
      begin: inFront({ kind: 'unserved', group: 'apps', version: 'v1', resource: 'deployments' }),
      maxRequests: ofObjects,
    },
    {
      name: 'does not let the account list Deployments',
      begin: inFront({ kind: 'answer', code: 403, matches: ({ url = '' }) => isList.test(url) }),
      maxRequests: ofObjects,
    },
    {
      name: 'stops to answer while the control plane is stopped',
      begin: inFront({ kind: 'black hole' }),
      beginsWhileStopped: true,
      maxRequests: ofMember,
    },
  ],
];

/** Requests of health checks per second: two checks of two requests each. */
const probesPerSecond = 4;

/** Milliseconds in addition to twice the usual time, on a machine without other work. */
const slackMs = 250;

/** The number of changes of all templates of which the latencies are measured. */
const changes = 3;

/** When templates change. */
type When = 'before a restart' | 'during a restart' | 'after a restart';

const p99 = (latencies: readonly number[]): number => percentile(latencies, 0.99);

t.test('a healthy member is served while others fail', async t => {
  const scene = await faultScene(
    t,
    Array.from({ length: 6 }, (_, i) => `bad-${i}`),
  );
  const usual = new Map<When, number>();
  await scene.change(1); // The first change takes longer, since much of the code is compiled.
  usual.set('before a restart', p99(await scene.change(changes)));
  usual.set('during a restart', p99(await scene.restart()));
  usual.set('after a restart', p99(await scene.change(changes)));
  await scene.converged();
  for (const [when, ms] of usual) t.comment(`without a fault, ${when}: ${Math.round(ms)} ms`);

  async function isServed(t: Test, when: When, change: () => Promise<readonly number[]>): Promise<void> {
    const slowness = wallSlowness();
    const took = p99(await change());
    const limit = 2 * (usual.get(when) ?? NaN) + slackMs * Math.max(slowness, wallSlowness());
    t.ok(took <= limit, `p99 of the healthy member ${when}: ${Math.round(took)} of ${Math.round(limit)} ms`);
  }

  for (const round of rounds)
    await t.test(round.map(({ name }) => name).join(', '), async t => {
      const members = scene.bad.flatMap((member, i) => {
        const fault = round[i];
        return fault ? [{ member, ...fault }] : [];
      });
      const ends: Promise<End>[] = [];
      const begin = (whileStopped: boolean): void => {
        for (const { member, begin, beginsWhileStopped = false } of members)
          if (beginsWhileStopped === whileStopped) ends.push(begin(scene, member));
      };
      const began = performance.now();
      begin(false);
      await Promise.all(ends);
      await isServed(t, 'before a restart', () => scene.change(changes));
      await isServed(t, 'during a restart', () => scene.restart(() => begin(true)));
      await isServed(t, 'after a restart', () => scene.change(changes));
      const probes = (probesPerSecond * (performance.now() - began)) / 1000;
      for (const { name, member, maxRequests } of members) {
        const { requests } = member.front;
        t.ok(requests <= maxRequests + probes, `a member that ${name} gets few requests: ${requests}`);
      }
      for (const end of await Promise.all(ends)) await end();
      await scene.converged();
    });
});
