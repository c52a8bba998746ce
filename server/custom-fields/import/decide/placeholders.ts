/** Fillers that firmware and installers leave instead of an identifier, reduced to letters and digits. */
const FILLERS: readonly RegExp[] = [
  /^tobefilled/,
  /^default(string)?$/,
  /^(system|chassis|baseboard|board|product|asset)?(serial|asset|part|product|model)(number|no|name|tag)?$/,
  /^(oem|none|null|nil|na|nan|unknown|undefined|invalid|empty|blank|test|todo|tbd)$/,
  /^(no|not)(asset|assettag|serial|specified|available|applicable|set|defined|present|provided|assigned|settable)$/,
  /^(x|xxx+|0?123456789?0?|12345678|localhost(localdomain)?)$/,
  // One repeated letter or digit: ffffffff, 11111111.
  /^(.)\1{7,}$/,
  // UUIDs shared by boards of several vendors.
  /^(0300020004000500000600070008000[90]|00020003000400050006000700080009|12345678123456781234567890abcdef|(fe)+|4c4c4544000020108020(80c04f)?(20)+)$/,
];
/** Zero or negative numbers identify nothing, with or without the punctuation of a UUID, MAC address or decimal. */
const ZERO_LIKE = /^[0x\-_.,*?#:{}\s]+$/i;
const NEGATIVE = /^-\d+([.,]\d+)?$/;

/** True for a text that can never identify a device. */
export function isPlaceholder(text: string): boolean {
  const word = text.trim().toLowerCase();
  if (ZERO_LIKE.test(word) || NEGATIVE.test(word)) return true;
  const letters = word.replace(/[^\p{L}\p{N}]/gu, "");
  return letters === "" || FILLERS.some((filler) => filler.test(letters));
}

/** Normalizes an identifier for comparison (2.0 is 2, as spreadsheets write it); null if it identifies nothing. */
export const identifier = (text: string | undefined): string | null => {
  const trimmed = (text?.trim() ?? "").replace(/^(\d+)\.0+$/, "$1");
  return isPlaceholder(trimmed) ? null : trimmed;
};

const IP_LIKE = /^[0-9.]+$/;
/** Hostname without domain, in lowercase; null for an IP address. In SQL: the column devices.short_name. */
export function shortName(hostname: string): string {
  const lower = hostname.toLowerCase();
  return IP_LIKE.test(lower) ? lower : (lower.split(".", 1)[0] ?? lower);
}
