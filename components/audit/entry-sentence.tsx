"use client";

import { useOrgName } from "@/components/account/org";
import { type Entry, sentenceOf } from "./entry";
import { Marked } from "./marked";

/** An entry's sentence, with names in bold and search matches marked. */
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
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of the pieces is fixed.
          <b key={at} dir="auto">
            <Marked text={text} />
          </b>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of the pieces is fixed.
          <Marked key={at} text={text} />
        ),
      )}
    </>
  );
}
