/** A member that fails does not delay the statuses of others, is not flooded with requests, and gets everything when it is back. */
import t, { type Test } from 'tap';
import type { Fault } from './faulty-front.js';
import { faultScene } from './fault-scene.js';

interface FaultCase {
  readonly name: string;
  readonly fault: Fault;
  /** Maximum number of requests to the member, without those of its health checks. */
  readonly maxRequests: number;
}

/** A fault of all requests stops the Works of the member; the other answers may concern single objects, so that each Work is tried. */
const [ofMember, ofObjects] = [150, 300];

const hour = { 'retry-after': '3600' };

const faults: readonly FaultCase[] = [
  { name: 'accepts connections and never answers', fault: { kind: 'black hole' }, maxRequests: ofMember },
  { name: 'answers after 30 seconds', fault: { kind: 'slow', delayMs: 30_000 }, maxRequests: ofMember },
  { name: 'resets connections', fault: { kind: 'reset' }, maxRequests: ofMember },
  { name: 'answers 401', fault: { kind: 'answer', code: 401 }, maxRequests: ofMember },
  { name: 'answers 403', fault: { kind: 'answer', code: 403 }, maxRequests: ofObjects },
  { name: 'answers 404', fault: { kind: 'answer', code: 404 }, maxRequests: ofObjects },
  { name: 'answers 429', fault: { kind: 'answer', code: 429, headers: hour }, maxRequests: ofMember },
  { name: 'answers 500', fault: { kind: 'answer', code: 500, headers: hour }, maxRequests: ofObjects },
];

/** Requests of health checks per second: two checks of two requests each. */
const probesPerSecond = 4;

/** Milliseconds in addition to twice the usual time, for a busy machine. */
const slackMs = 2000;

t.test('a member that', async t => {
  const scene = await faultScene(t);
  const { front } = scene;
  const usual = { running: await scene.change(), started: 0 };
  await scene.restart();
  usual.started = await scene.change();
  await scene.converged();
  t.comment(`without a fault: ${Math.round(usual.running)} ms, after a start ${Math.round(usual.started)} ms`);

  async function isServed(t: Test, when: keyof typeof usual): Promise<void> {
    const took = await scene.change();
    t.ok(took <= 2 * usual[when] + slackMs, `the healthy member is served while ${when}: ${Math.round(took)} ms`);
  }

  for (const { name, fault, maxRequests } of faults)
    await t.test(name, async t => {
      front.set(fault);
      const began = performance.now();
      await isServed(t, 'running');
      await scene.restart();
      await isServed(t, 'started');
      const probes = (probesPerSecond * (performance.now() - began)) / 1000;
      t.ok(front.requests <= maxRequests + probes, `the member gets few requests: ${front.requests}`);
      front.set(undefined);
      await scene.converged();
    });

  await t.test('stops to answer while the control plane is stopped', async t => {
    await scene.restart(() => front.set({ kind: 'black hole' }));
    await isServed(t, 'started');
    front.set(undefined);
    await scene.converged();
  });
});
