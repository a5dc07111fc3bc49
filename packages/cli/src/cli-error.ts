// A failure the user can mend: printed as `error: …` without a stack.

/** Ends the command with a message and an exit code (default 1). */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;
  /** What is printed; default `error: <message>`. */
  readonly text: string;

  constructor(message: string, exitCode = 1, options?: ErrorOptions & { readonly text?: string }) {
    super(message, options);
    this.exitCode = exitCode;
    this.text = options?.text ?? `error: ${message}`;
  }
}
