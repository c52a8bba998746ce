"use client";

import { Progress as Bar, Button, FileButton, Group, Stack, Textarea } from "@mantine/core";
import { FileCheck2, WifiOff } from "lucide-react";
import { type DragEvent, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { count } from "@/components/format/amounts";
import { resolveTrust, type TrustSource } from "@/components/proof/check-proof";
import { isProofFragment, toFragment } from "@/components/proof/proof-link";
import { ProofPage } from "@/components/proof/proof-page";
import { isProofFile, readProof } from "@/components/proof/read-proof";
import { Message } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { type Checked, checkFile, loadTools, type Progress } from "./check-file";
import { Verdict } from "./verdict";
import classes from "./verify.module.css";

/** A drop target for one file, with a button to choose it. */
function DropFile({ onFile }: { onFile: (file: File) => void }) {
  const [isOver, setIsOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    const file = event.dataTransfer.files[0];
    if (file) onFile(file);
  };
  const over = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(true);
  };
  return (
    <FileButton onChange={(file) => file && onFile(file)} inputProps={{ "aria-label": "Evidence bundle" }}>
      {(props) => (
        <button
          {...props}
          type="button"
          className={classes.drop}
          data-over={isOver || undefined}
          onDragOver={over}
          onDragLeave={() => setIsOver(false)}
          onDrop={drop}
        >
          <FileCheck2 size={26} strokeWidth={1.5} aria-hidden />
          <strong>Drop an evidence bundle or the proof of an entry here, or choose the file</strong>
          <span className={classes.dropNote}>
            A .ndjson file from the Integrity page or from <code>GET /api/v1/audit-logs/evidence</code>, or a
            .tlog-proof file
          </span>
        </button>
      )}
    </FileButton>
  );
}

type Props = { serverPolicy: string };

function subscribe(onChange: () => void): () => void {
  window.addEventListener("hashchange", onChange);
  return () => window.removeEventListener("hashchange", onChange);
}
const hasProof = (): boolean => isProofFragment(window.location.hash);

/** /verify: shows the proof in the URL if there is one, otherwise the check of evidence bundles. */
export function VerifyHome({ serverPolicy }: Props) {
  const isProof = useSyncExternalStore(subscribe, hasProof, () => false);
  return isProof ? <ProofPage serverPolicy={serverPolicy} /> : <VerifyPage serverPolicy={serverPolicy} />;
}

type State =
  | { step: "choose"; failure: string | null }
  | { step: "checking"; fileName: string; progress: Progress }
  | { step: "done"; checked: Checked; trustSource: TrustSource };

/** Checks an evidence bundle in the browser. serverPolicy: the published policy of the page's server. */
function VerifyPage({ serverPolicy }: { serverPolicy: string }) {
  const [state, setState] = useState<State>({ step: "choose", failure: null });
  const [key, setKey] = useState("");
  const abort = useRef<AbortController | null>(null);
  const pasted = key.trim();
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => {
    loadTools().then(
      () => setLoaded(true),
      () => {},
    );
  }, []);
  const trustSource = resolveTrust(pasted, serverPolicy);

  const start = async (file: File) => {
    const controller = new AbortController();
    abort.current = controller;
    const onProgress = (progress: Progress) => setState({ step: "checking", fileName: file.name, progress });
    try {
      if (await isProofFile(file)) {
        // The parent page shows the proof in the URL fragment.
        window.location.hash = await toFragment(await readProof(file));
        return;
      }
      if ("reason" in trustSource) {
        setState({ step: "choose", failure: `${file.name} was not checked: ${trustSource.reason}` });
        return;
      }
      onProgress({ rows: 0, share: 0 });
      const isThere = await loadTools().then(
        () => true,
        () => false,
      );
      controller.signal.throwIfAborted();
      if (!isThere) {
        const failure = `${file.name} was not checked: a part of this page is not here yet. Connect to the server, then choose the file again.`;
        setState({ step: "choose", failure });
        return;
      }
      setLoaded(true);
      const checked = await checkFile(file, { trust: trustSource.trust, signal: controller.signal, onProgress });
      setState({ step: "done", checked, trustSource });
    } catch {
      const failure = controller.signal.aborted
        ? null
        : `${file.name} could not be read to its end. It may be a folder, or was moved or changed meanwhile; choose a file.`;
      setState({ step: "choose", failure });
    }
  };

  return (
    <>
      <div data-screen={state.step === "done" || undefined}>
        <PageHeader
          title="Verify an evidence bundle"
          lead="Recomputes the checksum of every entry, follows every link and checks the signatures, without contacting the installation that the bundle comes from."
        />
      </div>
      {state.step === "choose" && (
        <Choose
          serverPolicy={serverPolicy}
          mayGoOffline={isLoaded}
          pasted={key}
          onPasted={setKey}
          failure={state.failure}
          keyError={"reason" in trustSource ? trustSource.reason : null}
          onFile={(file) => void start(file)}
        />
      )}
      {state.step === "checking" && (
        <Checking
          fileName={state.fileName}
          progress={state.progress}
          onCancel={() => abort.current?.abort(new Error("cancelled"))}
        />
      )}
      {state.step === "done" && (
        <Verdict
          checked={state.checked}
          trustSource={state.trustSource}
          onAgain={() => setState({ step: "choose", failure: null })}
        />
      )}
    </>
  );
}

const keyNames = (serverPolicy: string): string =>
  [...serverPolicy.matchAll(/^log ([^\s+]+)\+/gm)].map(([, name]) => name).join(", ");

type ChooseProps = {
  serverPolicy: string;
  mayGoOffline: boolean;
  pasted: string;
  onPasted: (text: string) => void;
  failure: string | null;
  keyError: string | null;
  onFile: (file: File) => void;
};

function Choose({ serverPolicy, mayGoOffline, pasted, onPasted, failure, keyError, onFile }: ChooseProps) {
  return (
    <Stack gap={20} px="edge" pb="xl">
      {failure && <Message tone="bad">{failure}</Message>}
      <Textarea
        label="Verifier key or policy (optional)"
        description={`The key that you saved at the last audit, or a policy file’s text. Without it, the bundle is checked against the keys of ${keyNames(serverPolicy)}, the server that served this page.`}
        placeholder="trailmark.example+1a2b3c4d+AbCd…"
        value={pasted}
        onChange={(event) => onPasted(event.currentTarget.value)}
        error={keyError}
        autosize
        minRows={1}
        maxRows={8}
        spellCheck={false}
        autoComplete="off"
        maw={640}
      />
      <DropFile onFile={onFile} />
      <p className={classes.promise}>
        <WifiOff size={16} strokeWidth={1.75} aria-hidden />
        <span>
          The file stays on this computer: this page reads it here and sends nothing anywhere.{" "}
          <span className={mayGoOffline ? undefined : classes.pending}>You may go offline before you choose it.</span>
        </span>
      </p>
    </Stack>
  );
}

type CheckingProps = { fileName: string; progress: Progress; onCancel: () => void };

function Checking({ fileName, progress, onCancel }: CheckingProps) {
  const percent = Math.round(progress.share * 100);
  return (
    <section className={classes.progress} aria-label="Checking">
      <Group justify="space-between" gap="sm">
        <strong>Checking {fileName}</strong>
        <span className="tm-figures">{count(progress.rows)} entries</span>
      </Group>
      <Bar value={percent} aria-label="Share of the file checked so far" />
      <div>
        <Button variant="default" size="xs" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </section>
  );
}
