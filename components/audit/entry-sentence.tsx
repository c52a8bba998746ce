"use client";

import { useOrgName } from "@/components/account/org";
import { Via } from "@/components/format/via";
import { accordingTo } from "@/server/audit/provenance";
import { sentenceOf } from "@/server/audit/sentence";
import type { Entry } from "./entry";
import { Marked } from "./marked";

/** An entry's sentence, with names in bold and search matches marked; a chip behind it shows the key that submitted it. */
export function EntrySentence({ entry }: { entry: Entry }) {
  const nameOf = useOrgName();
  const by = entry.submittedBy;
  const { actor, pieces } = sentenceOf(entry, nameOf(entry.orgId));
  return (
    <>
      {by && <span className="tm-spoken">{accordingTo(by)}</span>}
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
      {by && (
        <span aria-hidden>
          {" "}
          <Via by={by} />
        </span>
      )}
    </>
  );
}
