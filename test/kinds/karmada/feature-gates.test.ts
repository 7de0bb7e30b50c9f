import t from 'tap';
import { featureGates, parseFeatureGates } from '../../../kinds/karmada/feature-gates.js';

t.test('feature gates have defaults and can be set', async t => {
  t.equal(Object.keys(featureGates()).length, 17);
  t.match(featureGates(), { Failover: false, GracefulEviction: true, FederatedQuotaEnforcement: false });
  const table = [
    { given: 'Failover=true', expect: { Failover: true, WorkloadAffinity: false } },
    { given: ' Failover = t ,, GracefulEviction=0', expect: { Failover: true, GracefulEviction: false } },
    { given: 'AllAlpha=true', expect: { WorkloadAffinity: true, Failover: false } },
    { given: 'WorkloadAffinity=false,AllAlpha=true', expect: { WorkloadAffinity: false, MultiClusterService: true } },
    { given: 'AllBeta=false', expect: { PropagateDeps: false, GracefulEviction: false } },
    { given: '', expect: { PropagateDeps: true } },
  ];
  for (const { given, expect } of table) t.match(parseFeatureGates(given), expect, given);
});

t.test('invalid feature gates are refused', async t => {
  const table = [
    { given: 'Failover', expect: 'missing bool value for Failover' },
    { given: 'Nonsense=true', expect: 'unrecognized feature gate: Nonsense' },
    {
      given: 'Failover=on',
      expect: 'invalid value of Failover=on, err: strconv.ParseBool: parsing "on": invalid syntax',
    },
  ];
  for (const { given, expect } of table) t.throws(() => parseFeatureGates(given), { message: expect }, given);
});
