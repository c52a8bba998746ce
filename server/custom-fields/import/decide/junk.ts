/** What firmware and installers leave where an identifier should be; none of it names a machine. */
const JUNK = new Set([
  "default string",
  "default",
  "to be filled by o.e.m.",
  "to be filled by oem",
  "o.e.m.",
  "oem",
  "system serial number",
  "system product name",
  "chassis serial number",
  "base board serial number",
  "serial number",
  "not specified",
  "not available",
  "not applicable",
  "not set",
  "none",
  "null",
  "(null)",
  "nil",
  "n/a",
  "na",
  "unknown",
  "undefined",
  "invalid",
  "empty",
  "blank",
  "test",
  "0123456789",
  "123456789",
  "1234567890",
  "localhost",
  "localhost.localdomain",
]);
/** Zeros, with or without the punctuation of a UUID or MAC address, and fillers such as "xxx" or "---". */
const FILLER = /^[0x\-_.*?#:{}\s]+$/i;
const ALL_F = /^[f\-:{}]{8,}$/i;

/** True for a text that may never identify a device. */
export function isJunk(text: string): boolean {
  const word = text.trim().toLowerCase();
  return word === "" || JUNK.has(word) || FILLER.test(word) || ALL_F.test(word);
}

/** An identifier ready to be compared, or null when it identifies nothing. */
export const identifier = (text: string | undefined): string | null => {
  const trimmed = text?.trim() ?? "";
  return isJunk(trimmed) ? null : trimmed;
};

const IP_LIKE = /^[0-9.]+$/;
/** A host's name without its domain, in lower case; an address has none. In SQL: the column devices.short_name. */
export function shortName(hostname: string): string {
  const lower = hostname.toLowerCase();
  return IP_LIKE.test(lower) ? lower : (lower.split(".", 1)[0] ?? lower);
}
