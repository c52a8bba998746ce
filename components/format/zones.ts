/** The time zones that the browser supports, plus the current value if it is not among them. */
export function zoneChoices(present?: string | null): string[] {
  const known = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
  return present && !known.includes(present) ? [present, ...known] : known;
}
