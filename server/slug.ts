const MAX_SLUG_LENGTH = 60;

/** A name as it may stand in an address: ASCII letters, digits and hyphens; "organization" where nothing is left. */
export function toSlug(name: string): string {
  const ascii = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const slug = ascii
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-+|-+$/g, "");
  return slug || "organization";
}
