/** What is free in a cluster, from the summary in its status. as pkg/estimator/client general estimator */
import t from 'tap';
import { quantityText } from '../../../apimachinery/quantity/quantity.js';
import { leastOfGrade } from '../../../scheduler/estimate/model-ranges.js';
import { freePods, remaining } from '../../../scheduler/estimate/resource-summary.js';

t.test('free is what can be allocated, without what is allocated and being allocated', async t => {
  const summary = {
    allocatable: { cpu: '10', memory: '8Gi', pods: '110' },
    allocated: { cpu: '2500m', pods: '100', 'example.com/gpu': '1' },
    allocating: { cpu: '500m', pods: '4' },
  };
  const free = (name: string): string | undefined => {
    const amount = remaining(summary, name);
    return amount && quantityText(amount);
  };
  t.equal(free('cpu'), '7');
  t.equal(free('cpu'), '7', 'again');
  t.equal(free('memory'), '8Gi');
  t.equal(free('example.com/gpu'), undefined, 'the cluster does not have it');
  t.equal(free('example.com/gpu'), undefined);
  t.equal(freePods(summary), 6);
  t.equal(freePods({}), 0, 'nothing is known');
  t.equal(freePods({ allocatable: { pods: '1' }, allocated: { pods: '3' } }), 0, 'never less than none');
});

t.test('a node of a grade has at least the minimum of the last range of each resource', async t => {
  const ranges = [
    { name: 'cpu', min: '2', max: '4' },
    { name: 'memory', min: '4Gi', max: '8Gi' },
    { name: 'cpu', min: '9', max: '10' },
  ];
  const least = leastOfGrade(ranges);
  t.same([...least].map(([name, amount]) => `${name} ${quantityText(amount)}`).sort(), ['cpu 9', 'memory 4Gi']);
  t.equal(leastOfGrade(ranges), least, 'is read once');
});
