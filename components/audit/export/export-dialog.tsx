"use client";

import { Button, Group, Modal, Radio, Stack } from "@mantine/core";
import { Download } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useOrg } from "@/components/account/org";
import type { AuditList } from "@/components/audit/audit-list";
import { filtersInWords } from "@/components/audit/filters/in-words";
import type { Input } from "@/components/audit/filters/list-input";
import { spanOf } from "@/components/audit/filters/list-input";
import { spanText } from "@/components/audit/filters/range-line";
import { useViewer } from "@/components/audit/viewer-context";
import { bytes, count, counted } from "@/components/format/amounts";
import { useZone } from "@/components/format/zone";
import { fetchConfirmed } from "@/components/step-up";
import { Message } from "@/components/ui/message";
import { exportName } from "@/server/audit/export-name";
import { type ExportFormat, MAX_EXPORT_ROWS } from "@/server/audit/vocabulary";
import classes from "./export-dialog.module.css";
import { exportBody, readBody, saveFile } from "./export-request";

type Props = {
  audit: AuditList;
  onClose: () => void;
};
type State = { kind: "idle" } | { kind: "running"; got: number } | { kind: "failed"; why: string } | { kind: "done" };

/** What the list shows, as a file: the same filters, in words before anything leaves. */
export function ExportDialog({ audit, onClose }: Props) {
  const { names, total, isCut } = audit;
  const { view, input, now } = useViewer();
  const { zone } = useZone();
  const { org, organizations } = useOrg();
  const [format, setFormat] = useState<ExportFormat>("csv");
  const home = org ?? (organizations.length === 1 ? organizations[0] : null);
  const span = spanOf(view, zone, now);
  const { state, start, cancel } = useExport(input);
  const name = exportName({ organization: home?.name ?? "all organizations", ...span, now, zone, ending: format });
  const filters = filtersInWords(view, names);
  return (
    <Modal opened onClose={onClose} title="Export entries">
      <Stack gap="lg">
        <dl className={classes.what}>
          <dt>From</dt>
          <dd>{home?.name ?? `All organizations (${organizations.length})`}</dd>
          <dt>Range</dt>
          <dd>{spanText(span, zone)}</dd>
          <dt>Filters</dt>
          <dd>{filters.length === 0 ? "None" : filters.map((words) => <span key={words}>{words}</span>)}</dd>
          <dt>Entries</dt>
          <dd>{total === null ? "Not counted yet" : isCut ? `At least ${count(total)}` : count(total)}</dd>
        </dl>
        <Limit total={total} />
        <Radio.Group label="Format" value={format} onChange={(value) => setFormat(value === "json" ? "json" : "csv")}>
          <Group gap="xl" mt={8}>
            <Radio value="csv" label="CSV, for a spreadsheet" />
            <Radio value="json" label="JSON, with all details" />
          </Group>
        </Radio.Group>
        <Progress state={state} name={name} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={state.kind === "running" ? cancel : onClose}>
            {state.kind === "running" ? "Cancel" : "Close"}
          </Button>
          <Button
            loading={state.kind === "running"}
            leftSection={<Download size={15} aria-hidden />}
            onClick={() => void start(format, name)}
          >
            Export
          </Button>
        </Group>
        <Evidence orgId={home?.id} span={span} />
      </Stack>
    </Modal>
  );
}

function Limit({ total }: { total: number | null }) {
  if (total !== null && total > MAX_EXPORT_ROWS)
    return (
      <Message tone="warn">
        The newest {count(MAX_EXPORT_ROWS)} of {count(total)}: narrow the range to take all of them.
      </Message>
    );
  return (
    <p className={classes.note}>A file holds at most the newest {counted(MAX_EXPORT_ROWS, "entry", "entries")}.</p>
  );
}

function Progress({ state, name }: { state: State; name: string }) {
  if (state.kind === "failed") return <Message tone="bad">{state.why}</Message>;
  return (
    <p className={classes.note} role="status">
      {state.kind === "idle" && `The file will be ${name}. The export is recorded in the log.`}
      {state.kind === "running" && `Exporting, ${bytes(state.got)} so far`}
      {state.kind === "done" && `Saved as ${name}.`}
    </p>
  );
}

function Evidence({ orgId, span }: { orgId: string | undefined; span: { from?: Date; to?: Date } }) {
  if (!orgId)
    return (
      <p className={classes.foot}>For an evidence bundle, choose one organization first: each has its own chain.</p>
    );
  const query = new URLSearchParams({ orgId });
  for (const [name, at] of Object.entries(span)) if (at) query.set(name, at.toISOString());
  return (
    <p className={classes.foot}>
      For an auditor:{" "}
      <a className="tm-link" href={`/api/v1/audit-logs/evidence?${query}`} download>
        download the evidence bundle
      </a>{" "}
      of this range. It holds every entry, whatever the filters, and can be verified offline.
    </p>
  );
}

/** The download, and how far it is; it ends with the dialog. */
function useExport(input: Input) {
  const [state, setState] = useState<State>({ kind: "idle" });
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const start = async (format: ExportFormat, name: string) => {
    const running = new AbortController();
    const { signal } = running;
    abort.current = running;
    setState({ kind: "running", got: 0 });
    try {
      const response = await fetchConfirmed("/api/v1/audit-logs/export", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(exportBody(format, input)),
        signal,
      });
      if (!response.ok) return setState({ kind: "failed", why: await refusal(response) });
      saveFile(await readBody(response, (got) => setState({ kind: "running", got })), name);
      setState({ kind: "done" });
    } catch {
      setState(
        signal.aborted
          ? { kind: "idle" }
          : { kind: "failed", why: "The connection ended before the file was complete. Nothing was saved; try again." },
      );
    }
  };
  return { state, start, cancel: () => abort.current?.abort() };
}

async function refusal(response: Response): Promise<string> {
  const problem: { detail?: string } = await response.json().catch(() => ({}));
  return problem.detail ?? "The server refused the export. Nothing was saved.";
}
