/** A value: in double quotes, which keep its commas and double those inside, or up to the next comma. Isomorphic. */
const VALUE = /(?:^|,)\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))/g;

/** The values of a filter's text, "failure,denied" or "\"Doe, Jane\",bob"; empty ones are left out. */
export const splitValues = (text: string): string[] =>
  [...text.replace(/^[\s,]+/, "").matchAll(VALUE)]
    .map(([, quoted, bare = ""]) => quoted?.replaceAll('""', '"') ?? bare.trim())
    .filter(Boolean);

const written = (value: string): string => (/[,"]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

/** The same back as text, each value once. */
export const joinValues = (values: readonly string[]): string => [...new Set(values)].map(written).join(",");
