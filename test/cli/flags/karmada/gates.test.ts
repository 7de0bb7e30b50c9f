import t from 'tap';
import { gateFlag, parseGates } from '../../../../cli/flags/karmada/gates.js';

t.test('feature gates', async t => {
  t.match(parseGates(''), { Failover: false, PropagateDeps: true });
  t.match(parseGates('Failover=true,PropagateDeps=false'), { Failover: true, PropagateDeps: false });
  t.throws(() => parseGates('Failvoer=true'), {
    message:
      'invalid value "Failvoer=true" for --feature-gates: unrecognized feature gate: Failvoer; did you mean Failover?',
  });
  t.throws(() => parseGates('Failover=maybe'), {
    message: /^invalid value "Failover=maybe" for --feature-gates: [^;]+$/,
  });
  t.equal(gateFlag('; Failover has an effect').help, "Karmada's feature gates; Failover has an effect");
});
