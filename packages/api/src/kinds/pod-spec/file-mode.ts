// Modes of files that volumes write: decimal in JSON, octal in people's minds.

export const fileModeText = 'must be a number between 0 and 0777 (octal), both inclusive';

export function isFileMode(mode: number | undefined): boolean {
  return mode === undefined || (mode >= 0 && mode <= 0o777);
}
