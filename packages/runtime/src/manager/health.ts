// Health of a process as data: named checks behind /healthz, /readyz and /livez. Serving them is the composition root's.

/** Why a component is not healthy; undefined when it is. */
export type HealthCheck = () => string | undefined;

export interface HealthReport {
  readonly healthy: boolean;
  readonly checks: readonly { readonly name: string; readonly error: string | undefined }[];
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
