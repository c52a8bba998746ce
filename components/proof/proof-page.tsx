"use client";

import { type ChangeEvent, useEffect, useState } from "react";
import { saveFile } from "@/components/save-file";
import type { CheckedProof, TrustSource } from "./check-proof";
import classes from "./proof.module.css";
import { fromFragment, isProofFragment } from "./proof-link";
import { ProofVerdictView } from "./proof-verdict";
import { readProof } from "./read-proof";

/** organization: its name according to the server that provided the proof, which has only its id. */
export type LoadedProof = { text: string; organization?: string };
type Source = { step: "loading" } | { step: "choose"; failure: string | null } | ({ step: "read" } & LoadedProof);
/** load: fetches the proof when it is not in the URL; rejects with a message for the user. */
type Props = { serverPolicy: string | null; load?: () => Promise<LoadedProof> };

const DAMAGED =
  "This link does not contain a complete proof: it was truncated or changed on its way. Ask for the link again, or for the file.";

/** Preloaded with the page, so that the check itself works offline. */
const loadJudge = () => import("./check-proof");

/** Reads the proof in the URL fragment. */
async function readAddress(): Promise<Source> {
  if (!isProofFragment(window.location.hash)) return { step: "choose", failure: null };
  const text = await fromFragment(window.location.hash);
  return text === null ? { step: "choose", failure: DAMAGED } : { step: "read", text };
}

/** Checks the proof of one entry in the browser, against the server's keys or pasted ones. */
export function ProofPage({ serverPolicy, load }: Props) {
  const [source, setSource] = useState<Source>({ step: "loading" });
  const [pasted, setPasted] = useState("");
  useEffect(() => {
    const read = (): Promise<Source> =>
      load
        ? load().then(
            (loaded) => ({ step: "read", ...loaded }),
            (error: Error) => ({ step: "choose", failure: error.message }),
          )
        : readAddress();
    const start = () => void read().then(setSource);
    start();
    if (load) return;
    window.addEventListener("hashchange", start);
    return () => window.removeEventListener("hashchange", start);
  }, [load]);
  return (
    <div className={classes.page}>
      <h1>Proof of an audit log entry</h1>
      <p className={classes.lead}>
        Your browser checks this proof.{" "}
        {load ? "Opening a short link is counted; nothing else is sent." : "Nothing is sent anywhere."}
      </p>
      {source.step === "loading" && <p role="status">Reading the proof</p>}
      {source.step === "choose" && (
        <Choose
          failure={source.failure}
          onFile={(file) =>
            void readProof(file).then(
              (text) => setSource({ step: "read", text }),
              () => setSource({ step: "choose", failure: `${file.name} could not be read; choose it again.` }),
            )
          }
        />
      )}
      {source.step === "read" && (
        <Checked text={source.text} organization={source.organization} keys={{ pasted, serverPolicy }} />
      )}
      <Keys value={pasted} serverPolicy={serverPolicy} onChange={setPasted} />
    </div>
  );
}

function Choose({ failure, onFile }: { failure: string | null; onFile: (file: File) => void }) {
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.currentTarget.files?.[0];
    if (file) onFile(file);
  };
  return (
    <div className={classes.choose}>
      {failure && (
        <p role="alert" className={classes.failure}>
          {failure}
        </p>
      )}
      <label>
        Proof file (.tlog-proof)
        <input type="file" onChange={choose} />
      </label>
    </div>
  );
}

function useChecked(text: string, { pasted, serverPolicy }: { pasted: string; serverPolicy: string | null }) {
  const [found, setFound] = useState<{ checked: CheckedProof; trustSource: TrustSource } | { reason: string } | null>(
    null,
  );
  useEffect(() => {
    let isCurrent = true;
    void loadJudge().then(({ checkProof, resolveTrust }) => {
      const trustSource = resolveTrust(pasted, serverPolicy);
      if (isCurrent)
        setFound("reason" in trustSource ? trustSource : { trustSource, checked: checkProof(text, trustSource.trust) });
    });
    return () => {
      isCurrent = false;
    };
  }, [text, pasted, serverPolicy]);
  return found;
}

type CheckedProps = {
  text: string;
  organization: string | undefined;
  keys: { pasted: string; serverPolicy: string | null };
};

function Checked({ text, organization, keys }: CheckedProps) {
  const found = useChecked(text, keys);
  if (!found) return <p role="status">Checking the proof</p>;
  if ("reason" in found)
    return (
      <p role="alert" className={classes.failure}>
        {found.reason}
      </p>
    );
  const { verdict } = found.checked;
  const name = verdict.status !== "unreadable" && verdict.row ? `entry-${verdict.row.chainSeq}` : "entry";
  return (
    <>
      <ProofVerdictView {...found} organization={organization} />
      <div className={classes.actions} data-screen>
        <button type="button" onClick={() => saveFile(`${name}.tlog-proof`, text)}>
          Download .tlog-proof
        </button>
        <button type="button" onClick={() => window.print()}>
          Print
        </button>
      </div>
      <p className={classes.command}>
        To repeat the check without this page: <code>npm run trailmark -- verify {name}.tlog-proof --key KEY</code>
      </p>
    </>
  );
}

type KeysProps = { value: string; serverPolicy: string | null; onChange: (value: string) => void };

function Keys({ value, serverPolicy, onChange }: KeysProps) {
  return (
    <section className={classes.keys} aria-labelledby="proof-keys">
      <h2 id="proof-keys">Trusted keys</h2>
      <p>
        {serverPolicy === null
          ? "This page has no key. Paste the verifier key that you were given, or a policy file; without one, nothing is proven."
          : "Without a key of yours, the proof is checked against the keys of the server that served this page. It is safer to paste a verifier key that you saved earlier, or a policy file."}
      </p>
      <label data-screen>
        Verifier key or policy
        <textarea
          rows={3}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          placeholder="trailmark.example+1a2b3c4d+AbCd…"
          spellCheck={false}
          autoComplete="off"
        />
      </label>
      {serverPolicy !== null && (
        <>
          <details>
            <summary>Keys that this server publishes</summary>
            <pre>{serverPolicy}</pre>
          </details>
          <p data-screen>
            You do not have to trust this server’s page:{" "}
            <a href="/verify/offline.html" download="trailmark-proof.html" className="tm-link">
              save the page as one file
            </a>{" "}
            that works without any network.
          </p>
        </>
      )}
    </section>
  );
}
