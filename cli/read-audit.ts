import fs from 'node:fs/promises';
import path from 'node:path';
import { readPolicy } from '../apiserver/audit/read-policy.js';
import type { AuditConfig } from '../apiserver/main/config.js';
import { UsageError } from './flags.js';

export interface AuditFlags {
  /** '' where a flag was not given. */
  readonly policyFile: string;
  readonly path: string;
  readonly format: string;
  readonly maxSize: number;
  readonly maxAge: number;
  readonly maxBackups: number;
}

/** undefined: no audit log. Throws UsageError. */
export async function readAudit(flags: AuditFlags): Promise<AuditConfig | undefined> {
  const { policyFile, path: file, format, maxSize, maxAge, maxBackups } = flags;
  if (format !== 'json') throw new UsageError(`invalid value "${format}" for --audit-log-format: want "json"`);
  for (const [name, value] of Object.entries({ maxsize: maxSize, maxage: maxAge, maxbackup: maxBackups }))
    if (value < 0) throw new UsageError(`invalid value "${value}" for --audit-log-${name}: must not be negative`);
  if (policyFile === '' && file === '') return undefined;
  // Half of it would note nothing, and nobody would know.
  if (policyFile === '') throw new UsageError('--audit-log-path needs --audit-policy-file');
  if (file === '') throw new UsageError('--audit-policy-file needs --audit-log-path');
  let text: string;
  try {
    text = await fs.readFile(policyFile, 'utf8');
  } catch (error) {
    throw new UsageError(`the audit policy cannot be read: ${(error as Error).message}`);
  }
  try {
    const log = { path: file === '-' ? file : path.resolve(file), maxSize: maxSize || 100, maxAge, maxBackups };
    return { policy: readPolicy(text), log };
  } catch (error) {
    throw new UsageError(`the audit policy ${policyFile} is wrong: ${(error as Error).message}`);
  }
}
