import t from 'tap';
import type { KubeObject } from '../../../../../apimachinery/interface.js';
import { definitionOf } from '../../fault-table.js';

const cases: readonly { phase: string; expect: readonly string[] }[] = [
  { phase: 'Running', expect: [] },
  { phase: '__proto__', expect: [] },
  { phase: 'Succeeded', expect: ['Completed=True Succeeded: The pod has completed successfully.'] },
  { phase: 'Failed', expect: ['Completed=True Failed: The pod failed.'] },
];

t.test('the row of a finished pod shows its phase', async t => {
  const printer = definitionOf('', 'Pod').versions[0]?.printer;
  for (const { phase, expect } of cases) {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, status: { phase } } as unknown as KubeObject;
    const conditions = printer?.conditions?.(pod) ?? [];
    t.strictSame(
      conditions.map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`),
      expect,
      phase,
    );
  }
});
