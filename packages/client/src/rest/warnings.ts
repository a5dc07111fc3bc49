// Warning headers of API servers: `299 - "text"`, RFC 7234 §5.5 as Kubernetes uses it. Other codes are not for us.

/** The texts of all warnings of an answer. */
export function warningsOf(headers: Readonly<Record<string, string | readonly string[]>>): readonly string[] {
  const header = headers['warning'];
  if (header === undefined) return [];
  const texts: string[] = [];
  for (const line of typeof header === 'string' ? [header] : header) {
    for (const match of line.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g))
      texts.push((match[1] ?? '').replace(/\\(.)/g, '$1'));
  }
  return texts;
}
