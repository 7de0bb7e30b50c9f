/** The error of a server-side apply whose fields other managers own with other values. */
import type { ManagedFieldsEntry, StatusCause } from '../interface.js';
import { goQuote } from '../../lib/go/go-text.js';
import { maxFaults, maxNameLength, shortened } from './limits.js';
import { failure, type StatusError } from './status.js';

/** A field of an applied object that another manager owns. `path` as structured-merge-diff prints it: `.data.a`. */
export interface ApplyConflict {
  readonly manager: ManagedFieldsEntry;
  readonly path: string;
}

function managerKey(m: ManagedFieldsEntry): string {
  const apiVersion = m.operation === 'Apply' ? undefined : m.apiVersion;
  return JSON.stringify({ manager: m.manager, operation: m.operation, apiVersion, subresource: m.subresource });
}

function managerText(m: ManagedFieldsEntry): string {
  let text = goQuote(m.manager ?? '');
  if (m.subresource) text += ` with subresource ${goQuote(m.subresource)}`;
  if (m.operation === 'Update') text += ` using ${m.apiVersion ?? ''}`;
  return m.operation === 'Update' && m.time !== undefined ? `${text} at ${m.time}` : text;
}

// as apimachinery/pkg/util/managedfields/internal/conflict.go getConflictMessage
function applyConflictText(conflicts: readonly ApplyConflict[], count: number): string {
  const [only] = conflicts;
  if (only !== undefined && count === 1)
    return `Apply failed with 1 conflict: conflict with ${managerText(only.manager)}: ${only.path}`;
  const byManager = new Map<string, string[]>();
  const listed = conflicts.slice(0, maxFaults);
  for (const { manager, path } of listed) {
    const key = managerKey(manager);
    const lines = byManager.get(key) ?? [`conflicts with ${managerText(manager)}:`];
    lines.push(`- ${shortened(path, maxNameLength)}`);
    byManager.set(key, lines);
  }
  const lines = [...byManager.keys()].sort().flatMap(key => byManager.get(key) ?? []);
  if (listed.length < count) lines.push(`and ${count - listed.length} more`);
  return `Apply failed with ${count} conflicts: ${lines.join('\n')}`;
}

/**
 * Returns 409, with one cause per conflicting field and nothing else in the details. `count`: the number of conflicts, of which those in excess of the
 * limit of an answer may be left out.
 * as apimachinery/pkg/api/errors NewApplyConflict
 */
export function applyConflict(conflicts: readonly ApplyConflict[], count = conflicts.length): StatusError {
  const causes: StatusCause[] = conflicts.slice(0, maxFaults).map(c => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${managerText(c.manager)}`,
    field: shortened(c.path, maxNameLength),
  }));
  if (count > maxFaults) causes.push({ message: `and ${count - maxFaults} more` });
  return failure(409, 'Conflict', applyConflictText(conflicts, count), { causes });
}
