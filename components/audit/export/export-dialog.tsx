"use client";

import { Button, Checkbox, Group, Modal, Radio, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import { useOrg } from "@/components/account/org";
import { describeFilters, describeOrganizations } from "@/components/audit/state/describe-filters";
import { spanText } from "@/components/audit/state/range";
import { spanOf } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import { useConfirmedDownload } from "@/components/confirmed-download";
import { bytes, count, counted } from "@/components/format/amounts";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { useReturnedFocus } from "@/components/ui/dialogs/use-returned-focus";
import { Message } from "@/components/ui/notice";
import { EXPORT_FORMATS, type ExportFormat, FORMATS, isDirect } from "@/server/audit/export-formats";
import { exportName } from "@/server/audit/export-name";
import { MAX_EXPORT_ROWS } from "@/server/audit/vocabulary";
import classes from "./export-dialog.module.css";
import { MyExports } from "./my-exports";
import { type ExportState, useBackgroundExport, useExport } from "./use-export";

const OFFERED = EXPORT_FORMATS.filter((format) => FORMATS[format].label !== null);

/** Exports the list with the current filters, which are described before the download starts. */
export function ExportDialog({ onClose }: { onClose: () => void }) {
  useReturnedFocus();
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
    <Modal opened onClose={onClose} title="Export entries">
      <Stack gap="lg">
        <dl className={classes.what}>
          <dt>From</dt>
          <dd>{home?.name ?? describeOrganizations(of, organizations)}</dd>
          <dt>Range</dt>
          <dd>{spanText(span, zone)}</dd>
          <dt>Filters</dt>
          <dd>{filters.length === 0 ? "None" : filters.map((words) => <span key={words}>{words}</span>)}</dd>
          <dt>Entries</dt>
          <dd>{total === null ? "Not counted yet" : isTruncated ? `At least ${count(total)}` : count(total)}</dd>
        </dl>
        <FormatChoice format={format} onFormat={setFormat} />
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
        <Evidence orgId={home?.id} span={span} />
      </Stack>
    </Modal>
  );
}

type ChoiceProps = { format: ExportFormat; onFormat: (format: ExportFormat) => void };

function FormatChoice({ format, onFormat }: ChoiceProps) {
  return (
    <Radio.Group label="Format" value={format} onChange={onFormat}>
      <Group gap="xl" mt={8}>
        {OFFERED.map((one) => (
          <Radio key={one} value={one} label={FORMATS[one].label} />
        ))}
      </Group>
    </Radio.Group>
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

function Evidence({ orgId, span }: { orgId: string | undefined; span: { from?: Date; to?: Date } }) {
  const onDownload = useConfirmedDownload();
  const isAlarmed = useQuery(useTRPC().integrity.alarms.queryOptions()).data?.some((alarm) => alarm.orgId === orgId);
  if (!orgId) return <p className={classes.foot}>Evidence bundles cover one organization. Choose one above.</p>;
  const query = new URLSearchParams({ orgId, ...(isAlarmed && { despite: "alarm" }) });
  for (const [name, at] of Object.entries(span)) if (at) query.set(name, at.toISOString());
  return (
    <p className={classes.foot}>
      For an auditor:{" "}
      <a className="tm-link" href={`/api/v1/audit-logs/evidence?${query}`} download onClick={onDownload}>
        download the evidence bundle
      </a>{" "}
      of this range. It holds every entry, regardless of the filters, and can be verified offline.
      {isAlarmed && " An alarm is open on this log: the bundle says so, and is not proven."}
    </p>
  );
}
