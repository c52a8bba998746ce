"use client";

import { dateTime, zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { Facts } from "@/components/ui/facts";
import { type JudgedBundle, VERDICT_WORD } from "@/server/evidence/bundle/verdict";
import { windowText } from "@/server/evidence/tree/statement";
import classes from "./certificate.module.css";
import type { Checked } from "./check-file";
import { countsText, rangeText } from "./scope-text";

type Props = { verdict: JudgedBundle; checked: Checked; checkedAgainst: string; command: string };

const COMPLETE = {
  proven: "proven: every entry of the range that the log still has",
  attested: "attested by the installation’s signature, not proven, for a range of time",
};

const QUORUM = { met: " (as many as the policy asks for)", "not met": " (fewer than the policy asks for)" };

function cosigners({ cosignedBy, quorum }: JudgedBundle): string {
  const names = cosignedBy.map(({ name, at }) => `${name}, ${at}`).join("; ");
  return `${names || "no known witness"}${quorum ? QUORUM[quorum] : ""}`;
}

/** A one-page certificate: verdict, scope, signatures, and the command that repeats the check. Shown only in print. */
export function Certificate({ verdict, checked, checkedAgainst, command }: Props) {
  const { zone } = useZone();
  const { header, checkpoint, receipt } = verdict;
  const now = new Date().toISOString();
  const at = (when: string | null | undefined) => (when ? dateTime(when, zone) : "none");
  const facts: [string, string][] = [
    ["File", checked.fileName],
    ["Organization", header ? `${header.organization} (${header.orgId})` : "unknown"],
    ["Log", header?.origin ?? "unknown"],
    ["Range", header ? rangeText(header.range, at) : "unknown"],
    ["Entries", countsText(verdict)],
    ["Complete", verdict.complete ? COMPLETE[verdict.complete] : "not proven"],
    [
      "Checkpoint",
      checkpoint ? `size ${checkpoint.size}, signed ${at(checkpoint.signedAt)}` : "no version 2 checkpoint",
    ],
    ["Signed by", verdict.signedBy.join(" ") || "no trusted key"],
    ["Cosigned by", cosigners(verdict)],
    ["Checked against", checkedAgainst],
    [
      "Retention",
      receipt ? `through entry ${receipt.through}, before ${at(receipt.before)}, under ${windowText(receipt)}` : "none",
    ],
    ["Bundle created", at(header?.createdAt)],
    ["Checked", `${at(now)} (${zoneName(zone, now)})`],
  ];
  return (
    <article className={classes.page}>
      <h1>Certificate of verification</h1>
      <p className={classes.verdict}>{VERDICT_WORD[verdict.status]}</p>
      {verdict.warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
      <Facts facts={facts} className="" />
      {verdict.status !== "intact" && verdict.status !== "empty" && (
        <p>The organization, range and entries above are what the file claims; they are not proven.</p>
      )}
      {[...verdict.reasons, ...verdict.notices].map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {verdict.breaks[0] && (
        <p>
          First break: {verdict.breaks[0].kind}, sequence {verdict.breaks[0].seq}.
        </p>
      )}
      <p>To repeat the check offline, on your own machine:</p>
      <pre>{command}</pre>
    </article>
  );
}
