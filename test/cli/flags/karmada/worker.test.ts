import t from 'tap';
import { parseWorkers, workersFlag } from '../../../../cli/flags/karmada/worker.js';

const controllersOf = {
  'concurrent-work-syncs': ['execution', 'work-status'],
  'concurrent-cluster-syncs': ['cluster'],
};
const workers = (works: number, clusters: number) =>
  parseWorkers({ 'concurrent-work-syncs': works, 'concurrent-cluster-syncs': clusters }, controllersOf);

t.test('numbers of workers by controller', async t => {
  t.strictSame(workers(0, 0), {}, 'the built-in numbers');
  t.strictSame(workers(3, 0), { execution: 3, 'work-status': 3 });
  t.strictSame(workers(3, 1), { execution: 3, 'work-status': 3, cluster: 1 });
  t.throws(() => workers(0, -1), {
    message: 'invalid value "-1" for --concurrent-cluster-syncs: must not be negative',
  });
  t.match(workersFlag('Works'), {
    default: 0,
    help: 'Number of Works that are synced at once; 0: the built-in number',
  });
});
