/** Description of a member, optionally with an example value. */
export type Word = string | readonly [description: string, example: unknown];
export type Words = Readonly<Record<string, Word>>;

/**
 * Descriptions for operations below one or more paths. A key is a member's name or a suffix of its path ("events.id"
 * for the id of an item of events); the longest match wins.
 */
export type WordTable = { path: string | readonly string[]; request?: Words; response?: Words };
