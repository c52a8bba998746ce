"use client";

import { Button, Checkbox, Group, Radio, Stack, Text } from "@mantine/core";
import { Download } from "lucide-react";
import { useState } from "react";
import { useOrg } from "@/components/account/org";
import { describeFilters, describeOrganizations } from "@/components/audit/state/describe-filters";
import { type Span, spanText } from "@/components/audit/state/range";
import { spanOf } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import { bytes, count, counted } from "@/components/format/amounts";
import { useZone } from "@/components/format/zone";
import { useEvidence } from "@/components/integrity/evidence";
import { Dialog } from "@/components/ui/dialogs/dialog";
import { Facts } from "@/components/ui/facts";
import { Message } from "@/components/ui/notice";
import { EXPORT_FORMATS, type ExportFormat, FORMATS, isDirect } from "@/server/audit/export-formats";
import { exportName } from "@/server/audit/export-name";
import { MAX_EXPORT_ROWS } from "@/server/audit/vocabulary";
import { MyExports } from "./my-exports";
import { type ExportState, useBackgroundExport, useExport } from "./use-export";

const OFFERED = EXPORT_FORMATS.filter((format) => FORMATS[format].label !== null);

/** Exports the list with the current filters, which are described before the download starts. */
export function ExportDialog({ onClose }: { onClose: () => void }) {
  const { view, input, now, audit } = useViewer();
  const { names, total, isTruncated } = audit;
  const { zone } = useZone();
  const { one: home, organizations, several } = useOrg();
  const [format, setFormat] = useState<ExportFormat>("spreadsheet");
  const of = several.length > 0 ? several : organizations;
  const span = spanOf(view, zone, now);
  const [inBackground, setInBackground] = useState<boolean | null>(null);
  const [gzip, setGzip] = useState(false);
  const { state, start, cancel } = useExport(input);
  const background = useBackgroundExport();
  // Above the limit the export runs in the background by default; the user can choose the newest entries instead.
  const isLarge = total !== null && (isTruncated || total > MAX_EXPORT_ROWS);
  const isBackground = !isDirect(format) || (inBackground ?? isLarge);
  const name = exportName({
    organization: home?.name ?? `${of.length} organizations`,
    ...span,
    now,
    zone,
    ending: FORMATS[format].ending,
  });
  const filters = describeFilters(view, names);
  return (
    <Dialog onClose={onClose} title="Export entries">
      <Facts
        facts={[
          ["From", home?.name ?? describeOrganizations(of, organizations)],
          ["Range", spanText(span, zone)],
          ["Filters", filters.length === 0 ? "None" : filters.map((words) => <div key={words}>{words}</div>)],
          ["Entries", total === null ? "Not counted yet" : `${isTruncated ? "At least " : ""}${count(total)}`],
        ]}
      />
      <Radio.Group label="Format" value={format} onChange={setFormat}>
        <Group gap="xl" mt={8}>
          {OFFERED.map((one) => (
            <Radio key={one} value={one} label={FORMATS[one].label} />
          ))}
        </Group>
      </Radio.Group>
      <DestinationChoice
        {...{ isBackground, format }}
        all={allOf(total, isTruncated)}
        newest={newestOf(total, isLarge)}
        onBackground={setInBackground}
      />
      {isBackground ? (
        <>
          <Checkbox label="Compress with gzip" checked={gzip} onChange={(e) => setGzip(e.currentTarget.checked)} />
          {background.error && <Message tone="bad">{background.error}</Message>}
        </>
      ) : (
        <Progress state={state} name={name} />
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={state.kind === "running" ? cancel : onClose}>
          {state.kind === "running" ? "Cancel" : "Close"}
        </Button>
        <Button
          loading={state.kind === "running" || background.isAsking}
          leftSection={<Download size={15} aria-hidden />}
          onClick={() => {
            if (isBackground) background.start({ input, format, gzip, timeZone: zone });
            else void start(format, name);
          }}
        >
          Export
        </Button>
      </Group>
      <MyExports />
      <Text size="sm" c="dimmed" pt={16} className="tm-ruled">
        {home ? <Evidence orgId={home.id} span={span} /> : "Evidence bundles cover one organization. Choose one above."}
      </Text>
    </Dialog>
  );
}

type DestinationProps = {
  isBackground: boolean;
  format: ExportFormat;
  all: string;
  newest: string;
  onBackground: (isBackground: boolean) => void;
};

function DestinationChoice({ isBackground, format, all, newest, onBackground }: DestinationProps) {
  return (
    <Radio.Group
      label="How"
      value={isBackground ? "background" : "now"}
      onChange={(value) => onBackground(value === "background")}
    >
      <Stack gap={8} mt={8}>
        <Radio value="background" label={all} description="Kept for one day. Only you can download it." />
        <Radio
          value="now"
          disabled={!isDirect(format)}
          label={newest}
          description={`At most ${count(MAX_EXPORT_ROWS)} entries.`}
        />
      </Stack>
    </Radio.Group>
  );
}

function allOf(total: number | null, isTruncated: boolean): string {
  const all = total === null || isTruncated ? "all entries" : counted(total, "entry", "entries");
  return `Prepare ${all} in the background`;
}

function newestOf(total: number | null, isLarge: boolean): string {
  if (total === null || isLarge) return `Download the newest ${count(MAX_EXPORT_ROWS)} now`;
  return `Download ${counted(total, "entry", "entries")} now`;
}

/** name: of the file to be saved. */
function Progress({ state, name }: { state: ExportState; name: string }) {
  if (state.kind === "failed") return <Message tone="bad">{state.why}</Message>;
  return (
    <Text size="sm" c="dimmed" role="status" style={{ overflowWrap: "anywhere" }}>
      {state.kind === "idle" && `The file will be ${name}. The export is recorded in the log.`}
      {state.kind === "running" && `Exporting, ${bytes(state.receivedBytes)} so far`}
      {state.kind === "done" && `Saved as ${state.name}.`}
      {state.kind === "done" &&
        state.isTruncated &&
        ` It holds the newest ${count(MAX_EXPORT_ROWS)} entries; more match.`}
    </Text>
  );
}

function Evidence({ orgId, span }: { orgId: string; span: Span }) {
  const { isAlarmed, link } = useEvidence(orgId, { from: span.from?.toISOString(), to: span.to?.toISOString() });
  return (
    <>
      For an auditor:{" "}
      <a className="tm-link" {...link}>
        download the evidence bundle
      </a>{" "}
      of this range. It holds every entry, regardless of the filters, and can be verified offline.
      {isAlarmed && " An alarm is open on this log: the bundle says so, and is not proven."}
    </>
  );
}
