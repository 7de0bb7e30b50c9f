import { fileErrorTexts } from './file-error-texts.js';

/** Returns why a kubeconfig cannot be read, for the system's error about it or about a file that it names; undefined for other errors. */
export function kubeconfigFault(error: unknown, file: string): string | undefined {
  const { code = '', path: faultyFile = file } = error as NodeJS.ErrnoException;
  const system = fileErrorTexts[code];
  if (system === undefined) return undefined;
  const what =
    faultyFile === file || code === 'EISDIR' ? `the kubeconfig ${file} cannot be read` : `${file} names ${faultyFile}`;
  return `${what}: ${system}`;
}
