// Headers between the transport port and Node: one string a name there, several lines of one name here where Kubernetes wants them.

/**
 * Request headers for Node. The port joins values by `, `; API servers take several groups or extra values as several headers only.
 */
export function toWireHeaders(headers: Readonly<Record<string, string>>): Record<string, string | string[]> {
  const wire: Record<string, string | string[]> = { ...headers };
  for (const [name, value] of Object.entries(headers)) {
    if ((name === 'impersonate-group' || name.startsWith('impersonate-extra-')) && value.includes(', '))
      wire[name] = value.split(', ');
  }
  return wire;
}
