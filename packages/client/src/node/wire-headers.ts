// Headers between the transport port and Node: one string a name there, several lines of one name here where Kubernetes wants them.

/**
 * Request headers for Node. The port joins values by `, `; API servers take several groups or extra values as several headers only. What is
 * not ASCII (a user's name) goes out as UTF-8, as Go writes and reads it; Node alone would take Latin-1 for it, or refuse.
 */
export function toWireHeaders(headers: Readonly<Record<string, string>>): Record<string, string | string[]> {
  const wire: Record<string, string | string[]> = { ...headers };
  for (const [name, text] of Object.entries(headers)) {
    const value = beyondAscii.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
    // Over HTTP/2 such a header would just be missing: whoever is to act as somebody else would act as itself.
    if (unsendable.test(value))
      throw new TypeError(`header ${name}: its value holds a character that no header may hold`);
    const several = (name === 'impersonate-group' || name.startsWith('impersonate-extra-')) && value.includes(', ');
    if (several || value !== text) wire[name] = several ? value.split(', ') : value;
  }
  return wire;
}

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const unsendable = /[^\t\x20-\x7e\x80-\xff]/;
const beyondAscii = /[\u0080-\uffff]/;
