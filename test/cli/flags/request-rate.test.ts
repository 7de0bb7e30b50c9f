import t from 'tap';
import { parseRequestRate } from '../../../cli/flags/request-rate.js';

const rate = (qps: string, burst: number) =>
  parseRequestRate('kube-api', { 'kube-api-qps': qps, 'kube-api-burst': burst });

t.test('a rate of requests', async t => {
  t.strictSame(rate('40', 60), { perSecond: 40, burst: 60 });
  t.strictSame(rate('0.5', 1), { perSecond: 0.5, burst: 1 });
  t.equal(rate('0', 1), undefined, 'no limit');
  for (const wrong of ['', 'x', '-1', '1e3', 'NaN', 'Infinity', '1.'])
    t.throws(() => rate(wrong, 1), { message: `invalid value "${wrong}" for --kube-api-qps: want a number` });
  for (const wrong of [0, -1])
    t.throws(() => rate('0', wrong), { message: `invalid value "${wrong}" for --kube-api-burst: must be positive` });
});

t.test('the flags of a rate are named by their prefix', async t => {
  const values = { 'cluster-api-qps': '1', 'cluster-api-burst': 2, 'kube-api-qps': '3', 'kube-api-burst': 4 };
  t.strictSame(parseRequestRate('cluster-api', values), { perSecond: 1, burst: 2 });
  t.strictSame(parseRequestRate('kube-api', values), { perSecond: 3, burst: 4 });
});
