"use client";

import type { TrustSource } from "@/components/proof/check-proof";
import { Section } from "@/components/ui/section";
import { StateTag } from "@/components/ui/state-tag";
import type { JudgedBundle } from "@/server/evidence/bundle/verdict";
import { formatVerifierKey } from "@/server/evidence/tree/signed-note";
import classes from "./verify.module.css";

/** The key's bytes without its name: an organization's and the installation's entry differ only in name and id. */
const bytesOf = (key: string): string => /^[^+]+\+[0-9a-f]{8}\+(.+)$/.exec(key)?.[1] ?? key;

const OWNER = { you: "Your key", server: "This server’s key", nobody: "" };

/** The keys given and those named in the bundle, with what each signed; then the witnesses. */
export function Keys({ verdict, trustSource }: { verdict: JudgedBundle; trustSource: TrustSource }) {
  const trusted = trustSource.trust.logs.map(formatVerifierKey);
  const known = new Set(trusted.map(bytesOf));
  const named = (verdict.header?.publicKeys ?? []).filter((key) => !known.has(bytesOf(key)));
  const signed = new Set(verdict.signedBy.map(bytesOf));
  return (
    <Section title="Keys" lead="Trust a key only as far as you trust the source you got it from.">
      <ul className={classes.keys}>
        {trusted.map((key) => (
          <li key={key}>
            <code>{key}</code>
            <StateTag tone={signed.has(bytesOf(key)) ? "good" : "warn"}>
              {`${OWNER[trustSource.from]}, ${signed.has(bytesOf(key)) ? "and it signed the checkpoint" : "which signed no checkpoint here"}`}
            </StateTag>
          </li>
        ))}
        {named.map((key) => (
          <li key={key}>
            <code>{key}</code>
            <StateTag tone="warn">Named only by the bundle</StateTag>
          </li>
        ))}
        {verdict.cosignedBy.map(({ name, at }) => (
          <li key={name}>
            <code>{name}</code>
            <StateTag tone="good">{`Witness, cosigned at ${at}`}</StateTag>
          </li>
        ))}
      </ul>
      {verdict.quorum === "not met" && "Fewer witnesses cosigned than your policy asks for."}
      {trusted.length + named.length === 0 && "The bundle names no key."}
    </Section>
  );
}
