"use client";

import { createContext, useContext } from "react";

/** The words that the list was searched for. */
export const SearchedWords = createContext<readonly string[]>([]);

const escaped = (word: string): string => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** Splits a text into pieces that match one of the words, ignoring case, and pieces that do not. */
export function markedPieces(text: string, words: readonly string[]): { text: string; isMatch: boolean }[] {
  const known = words.filter(Boolean).sort((a, b) => b.length - a.length);
  if (known.length === 0) return [{ text, isMatch: false }];
  return text
    .split(new RegExp(`(${known.map(escaped).join("|")})`, "iu"))
    .map((piece, at) => ({ text: piece, isMatch: at % 2 === 1 }))
    .filter((piece) => piece.text !== "");
}

/** A text with the searched words marked. */
export function Marked({ text }: { text: string }) {
  return markedPieces(text, useContext(SearchedWords)).map((piece, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the order of the pieces is fixed.
    piece.isMatch ? <mark key={at}>{piece.text}</mark> : piece.text,
  );
}
