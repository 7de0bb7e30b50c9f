/** Reads the settings of the audit log, from kube-apiserver's flags. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { readPolicy } from '../apiserver/audit/read-policy.js';
import type { AuditConfig } from '../server/config.js';
import { type FlagTable, type FlagValues, UsageError } from './flags.js';

const defaultSize = 100;

export const auditFlags = {
  'audit-policy-file': {
    type: 'string',
    value: 'FILE',
    help: 'What is noted in the audit log: a Policy of audit.k8s.io/v1',
  },
  'audit-log-path': { type: 'string', value: 'FILE', help: 'The audit log; "-" is standard output' },
  'audit-log-format': { type: 'string', value: 'FORMAT', default: 'json', help: 'Only "json"' },
  'audit-log-maxsize': {
    type: 'number',
    value: 'MB',
    default: defaultSize,
    help: 'A new audit log is begun after so many megabytes',
  },
  'audit-log-maxage': {
    type: 'number',
    value: 'DAYS',
    default: 0,
    help: 'Days that old audit logs are kept; 0: for ever',
  },
  'audit-log-maxbackup': { type: 'number', value: 'N', default: 0, help: 'Old audit logs that are kept; 0: all' },
} as const satisfies FlagTable;

type Values = FlagValues<typeof auditFlags>;

const logOf = (values: Values): AuditConfig['log'] => ({
  path: values['audit-log-path'] === '-' ? '-' : path.resolve(values['audit-log-path']),
  maxSize: values['audit-log-maxsize'] || defaultSize,
  maxAge: values['audit-log-maxage'],
  maxBackups: values['audit-log-maxbackup'],
});

/** Returns the audit configuration; undefined: no audit log. Throws UsageError. */
export async function parseAudit(values: Values): Promise<AuditConfig | undefined> {
  const { 'audit-policy-file': policyFile, 'audit-log-path': file, 'audit-log-format': format } = values;
  if (format !== 'json') throw new UsageError(`invalid value "${format}" for --audit-log-format: want "json"`);
  for (const name of ['audit-log-maxsize', 'audit-log-maxage', 'audit-log-maxbackup'] as const)
    if (values[name] < 0) throw new UsageError(`invalid value "${values[name]}" for --${name}: must not be negative`);
  if (policyFile === '' && file === '') return undefined;
  // One of the two flags alone would silently record nothing.
  if (policyFile === '') throw new UsageError('--audit-log-path needs --audit-policy-file');
  if (file === '') throw new UsageError('--audit-policy-file needs --audit-log-path');
  let text: string;
  try {
    text = await fs.readFile(policyFile, 'utf8');
  } catch (error) {
    throw new UsageError(`the audit policy cannot be read: ${(error as Error).message}`);
  }
  try {
    return { policy: readPolicy(text), log: logOf(values) };
  } catch (error) {
    throw new UsageError(`the audit policy ${policyFile} is wrong: ${(error as Error).message}`);
  }
}
