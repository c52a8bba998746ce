/** More words narrow nothing that fewer would not. */
export const MAX_WORDS = 20;

/** The words and quoted phrases of a text, each once. Isomorphic: the browser highlights them. */
export const wordsOf = (text: string): string[] => [
  ...new Set([...text.matchAll(/"([^"]*)"|\S+/g)].map(([word, phrase]) => phrase ?? word).filter(Boolean)),
];
