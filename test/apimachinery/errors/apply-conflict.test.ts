import t from 'tap';
import { applyConflict } from '../../../apimachinery/errors/apply-conflict.js';

const m = (manager: string, operation: 'Apply' | 'Update', more = {}) => ({ manager, operation, ...more });

t.test('apply conflicts have the texts of upstream', async t => {
  const one = applyConflict([{ manager: m('m1', 'Apply'), path: '.data.a' }]);
  t.equal(one.message, 'Apply failed with 1 conflict: conflict with "m1": .data.a');
  const time = '2024-01-01T00:00:00Z';
  const many = applyConflict([
    { manager: m('z', 'Update', { apiVersion: 'v1', time, subresource: 'status' }), path: '.status.a' },
    { manager: m('b', 'Apply', { apiVersion: 'v1' }), path: '.data.a' },
    { manager: m('b', 'Apply', { apiVersion: 'v2' }), path: '.data.b' },
  ]);
  t.equal(
    many.message,
    'Apply failed with 3 conflicts: conflicts with "b":\n- .data.a\n- .data.b\n' +
      `conflicts with "z" with subresource "status" using v1 at ${time}:\n- .status.a`,
  );
  t.strictSame(many.status.details?.causes?.[1], {
    reason: 'FieldManagerConflict',
    message: 'conflict with "b"',
    field: '.data.a',
  });
});
