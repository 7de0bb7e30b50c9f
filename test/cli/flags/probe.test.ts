import t from 'tap';
import { parseFlags } from '../../../cli/flags/flags.js';
import { parseProbes, probeFlags } from '../../../cli/flags/probe.js';

const flags = probeFlags({ health: ':1', metrics: 'localhost:2' });
const parsed = (...args: string[]) => parseProbes(parseFlags(flags, args).values);

t.test('addresses of the probes of a program', async t => {
  t.strictSame(parsed(), { health: { port: 1 }, metrics: { host: 'localhost', port: 2 } });
  t.strictSame(parsed('--health-probe-bind-address=0'), { health: undefined, metrics: { host: 'localhost', port: 2 } });
  t.strictSame(parsed('--metrics-bind-address=0'), { health: { port: 1 }, metrics: undefined });
  for (const flag of ['health-probe-bind-address', 'metrics-bind-address'])
    t.throws(() => parsed(`--${flag}=x`), { message: new RegExp(`^invalid value "x" for --${flag}: want HOST:PORT`) });
});
