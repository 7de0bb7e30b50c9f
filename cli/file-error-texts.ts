/** Messages for the system's errors about a file that a flag names, by their codes. */
export const fileErrorTexts: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'there is no permission to read it',
};
