"use client";

import { useOrgName } from "@/components/account/org";
import { type Entry, sentenceOf } from "./entry";
import { Marked } from "./marked";

/** An entry's sentence, names in weight, what was searched for marked. */
export function EntrySentence({ entry }: { entry: Entry }) {
  const nameOf = useOrgName();
  const { actor, pieces } = sentenceOf(entry, nameOf(entry.orgId));
  return (
    <>
      <b dir="auto">
        <Marked text={actor} />
      </b>{" "}
      {pieces.map(({ text, isName }, at) =>
        isName ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a sentence never move.
          <b key={at} dir="auto">
            <Marked text={text} />
          </b>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: likewise.
          <Marked key={at} text={text} />
        ),
      )}
    </>
  );
}
