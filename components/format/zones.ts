/** The zones that this browser knows, and one that is set already though it does not. */
export function zoneChoices(present?: string | null): string[] {
  const known = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
  return present && !known.includes(present) ? [present, ...known] : known;
}
