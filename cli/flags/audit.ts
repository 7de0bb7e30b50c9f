/** Reads the settings of the audit log, from kube-apiserver's flags. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { readPolicy } from '../../apiserver/audit/read-policy.js';
import type { AuditConfig } from '../../server/config.js';
import { type FlagTable, type FlagValues, invalidFlag, UsageError } from './flags.js';

const defaultSize = 100;

export const auditFlags = {
  'audit-policy-file': {
    type: 'string',
    value: 'FILE',
    help: 'The audit policy: a Policy of audit.k8s.io/v1',
  },
  'audit-log-path': { type: 'string', value: 'FILE', help: 'File of the audit log; "-" is standard output' },
  'audit-log-format': {
    type: 'string',
    value: 'FORMAT',
    default: 'json',
    help: 'Format of the audit log; only "json" is supported',
  },
  'audit-log-maxsize': {
    type: 'number',
    value: 'MB',
    default: defaultSize,
    help: 'Maximum size of the audit log in megabytes before it is rotated',
  },
  'audit-log-maxage': {
    type: 'number',
    value: 'DAYS',
    default: 0,
    help: 'Maximum number of days to keep old audit logs; 0: no limit',
  },
  'audit-log-maxbackup': {
    type: 'number',
    value: 'N',
    default: 0,
    help: 'Maximum number of old audit logs to keep; 0: no limit',
  },
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
  if (format !== 'json') throw invalidFlag('audit-log-format', format, 'want "json"');
  for (const name of ['audit-log-maxsize', 'audit-log-maxage', 'audit-log-maxbackup'] as const)
    if (values[name] < 0) throw invalidFlag(name, values[name], 'must not be negative');
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
