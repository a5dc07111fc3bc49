// Reads single terms out of a raw field selector for authorizers that allow a list only of one field value.
// Unparsable selectors match nothing; the endpoints refuse them later.

/** Whether `selector` demands `field` to equal `value`. */
export function requiresField(selector: string | undefined, field: string, value: string): boolean {
  if (selector === undefined || !selector.includes(field)) return false;
  return splitTerms(selector).some((term) => {
    const match = /^([^=!]+)==?([^=]*)$/s.exec(term);
    return match !== null && match[1] === field && unescapeValue(match[2] ?? '') === value;
  });
}

/** Splits at commas that no backslash escapes. */
function splitTerms(selector: string): string[] {
  return selector.match(/(?:\\.|[^\\,])+/gs) ?? [];
}

function unescapeValue(value: string): string {
  return value.replaceAll(/\\(.)/gs, '$1');
}
