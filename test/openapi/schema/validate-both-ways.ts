import t from 'tap';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import type { Fault } from '../../../apimachinery/interface.js';
import { atOnce } from '../../../lib/time-slice.js';
import { newReport, reportedFaults, withinCheckSteps } from '../../../openapi/schema/validation/report.js';
import { validateValue } from '../../../openapi/schema/validation/validate.js';
import type { Old } from '../../../openapi/schema/validation/validate-parts.js';
import { partSteps } from '../../../openapi/schema/validation/validate-steps.js';

/** Returns the faults that the checks in steps find, which are otherwise only done for large values. */
function faultsInSteps(value: unknown, schema: Schema, path: string, old: Old): Fault[] {
  const report = newReport(path);
  atOnce(withinCheckSteps(report, partSteps(value, schema, '', old, report)));
  return reportedFaults(report);
}

/** Returns the faults of a value, after a check that both ways to validate it find the same. */
export function validateBothWays(value: unknown, schema: Schema, options: { path?: string; old?: Old } = {}): Fault[] {
  const { path = '', old } = options;
  const faults = validateValue(value, schema, { path, ...(old && { old }) });
  const plain = faultsInSteps(value, schema, path, undefined);
  const all = !old || (plain.length === 0 && faults.length === 0) ? plain : faultsInSteps(value, schema, path, old);
  t.strictSame(all, faults, 'the same faults in steps');
  return faults;
}
