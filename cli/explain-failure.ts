import { LogFileError } from '../apiserver/audit/log-file.js';
import { StorageError } from '../storage/error.js';
import { PkiFileError } from '../authn/pki/read-files.js';
import { UsageError } from './flags/flags.js';

interface Attempt {
  /** The absolute data directory. */
  readonly directory: string;
  readonly bind: string;
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | undefined)?.code ?? '';

const storageTexts: Readonly<Partial<Record<StorageError['code'], (attempt: Attempt) => string>>> = {
  locked: ({ directory }) => `another process uses the data directory ${directory}`,
  format: ({ directory }) => `the data directory ${directory} was written by a newer version`,
  corrupt: ({ directory }) => `the data directory ${directory} is damaged`,
  unavailable: () => 'the storage cannot be used',
  unwritable: () => 'the storage cannot be used',
};

const systemTexts: Readonly<Record<string, (attempt: Attempt) => string>> = {
  EADDRINUSE: ({ bind }) => `the address ${bind} is in use`,
  EADDRNOTAVAIL: ({ bind }) => `the address ${bind} is not one of this machine`,
  EACCES: ({ directory }) => `no permission for ${directory} or for the port`,
  EPERM: ({ directory }) => `no permission for ${directory} or for the port`,
  EROFS: ({ directory }) => `the data directory ${directory} is on a file system that is read-only`,
  ENOTDIR: ({ directory }) => `the data directory ${directory} is no folder`,
  EEXIST: ({ directory }) => `the data directory ${directory} is no folder`,
  ENOSPC: ({ directory }) => `no space left for the data directory ${directory}`,
  EDQUOT: ({ directory }) => `the disk quota of the data directory ${directory} is used up`,
  EIO: ({ directory }) => `the disk of the data directory ${directory} reports an input/output error`,
  ENOTFOUND: ({ bind }) => `the host of ${bind} is not known`,
};

/** Returns why a start failed as one line for the user; unexpected errors are returned unchanged. */
export function explain(error: unknown, attempt: Attempt): unknown {
  if (error instanceof PkiFileError) return new UsageError(`the keys cannot be used: ${error.message}`);
  if (error instanceof LogFileError) return new UsageError(error.message);
  const text = error instanceof StorageError ? storageTexts[error.code] : systemTexts[codeOf(error)];
  if (!text) return ofPath(error, attempt);
  return new UsageError(text(attempt) + (error instanceof StorageError ? detailOf(error) : ''));
}

function detailOf({ code, message, holder }: StorageError): string {
  if (code !== 'locked') return `: ${message}`;
  return holder === undefined ? '' : `: stop process ${holder} first`;
}

/** Returns the system's message for a file in the data directory, which tells the user enough. */
function ofPath(error: unknown, { directory }: Attempt): unknown {
  const { path = '', code = '', message = '' } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  if (!/^E[A-Z]+$/.test(code) || !path.startsWith(directory)) return error;
  return new UsageError(`the data directory ${directory} cannot be used: ${message}`);
}
