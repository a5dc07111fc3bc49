// Health of a process as data: named checks behind /healthz, /readyz and /livez, and the texts Kubernetes answers there. Sockets are in
// `@homeostat/runtime/node`.

/** Why a component is not healthy; undefined when it is. */
export type HealthCheck = () => string | undefined;

export interface HealthReport {
  readonly healthy: boolean;
  readonly checks: readonly { readonly name: string; readonly error: string | undefined }[];
}

export interface HealthQuestion {
  /** `healthz`, `livez` or `readyz`. */
  readonly path: string;
  /** One check alone, from `/healthz/<name>`. */
  readonly check?: string | undefined;
  /** Checks to leave out. */
  readonly exclude?: readonly string[];
  readonly verbose?: boolean;
}

/** Runs named checks. One that throws counts as failed. */
export function reportHealth(checks: ReadonlyMap<string, HealthCheck>): HealthReport {
  const results = Array.from(checks, ([name, check]) => {
    try {
      return { name, error: check() };
    } catch (error) {
      return { name, error: error instanceof Error ? error.message : String(error) };
    }
  });
  return { healthy: results.every(({ error }) => error === undefined), checks: results };
}

/** The text of a report in the form of Kubernetes' verbose health endpoints. Reasons of failures are for logs, not for the wire. */
export function formatHealth(path: string, report: HealthReport): string {
  const lines = report.checks.map(({ name, error }) =>
    error === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`,
  );
  return `${lines.join('\n')}\n${path} check ${report.healthy ? 'passed' : 'failed'}\n`;
}

/** Status and text of the answer to a health request, as upstream's endpoints give them. */
export function answerHealth(
  report: HealthReport,
  question: HealthQuestion,
): { readonly status: number; readonly text: string } {
  const { path, check, exclude = [], verbose = false } = question;
  const checks = report.checks.filter(({ name }) => (check === undefined || name === check) && !exclude.includes(name));
  if (check !== undefined && checks.length === 0) return { status: 404, text: '404 page not found\n' };
  const chosen = { checks, healthy: checks.every(({ error }) => error === undefined) };
  if (!chosen.healthy) return { status: 500, text: formatHealth(path, chosen) };
  return { status: 200, text: verbose ? formatHealth(path, chosen) : 'ok' };
}
