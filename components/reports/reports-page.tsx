"use client";

import { Box, Button, Group, Skeleton, Stack, Switch, Tabs, Title } from "@mantine/core";
import { Download, Printer } from "lucide-react";
import { parseAsStringLiteral, useQueryState, useQueryStates } from "nuqs";
import type { ComponentType } from "react";
import { useOrg } from "@/components/account/org";
import { RangeMenu } from "@/components/audit/filters/range-menu";
import { PRESET_LABEL } from "@/components/audit/state/range";
import { dateTime, zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { saveFile } from "@/components/save-file";
import { QueryFailure } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { TabList } from "@/components/ui/tab-list";
import { exportName } from "@/server/audit/export-name";
import { toCsv } from "@/server/ground/csv";
import { REPORT_LABEL, REPORTS, type Report } from "@/server/notify/report-schedules/vocabulary";
import { csvOf } from "./report-csv";
import type { Reports } from "./report-range";
import { type Counting, type ReportInput, useReport, useReportRange } from "./report-range";
import { ActivityReport, ComplianceReport, SecurityReport, StatisticsReport, type ViewProps } from "./report-views";
import { ReportZone, useZoneOwner } from "./report-zone";
import classes from "./reports.module.css";

const VIEW: { [K in Report]: ComponentType<ViewProps<Reports[K]>> } = {
  activity: ActivityReport,
  security: SecurityReport,
  compliance: ComplianceReport,
  statistics: StatisticsReport,
};

/** Four reports over a range; both are in the URL. loadedAt: the server's time, so that hydration matches. */
export function ReportsPage({ loadedAt }: { loadedAt: string }) {
  const [kind, setKind] = useQueryState(
    "report",
    parseAsStringLiteral(REPORTS).withDefault("activity").withOptions({ history: "push" }),
  );
  const { orgId, one } = useOrg();
  const scopeText = one?.name ?? "All organizations";
  const { zone, local } = useZone();
  const zoneOwner = useZoneOwner();
  const { chosen, setView, now, isStill, range } = useReportRange(loadedAt, orgId);
  const at = (when: string | undefined, none: string) => (when ? dateTime(when, zone) : none);
  const covers = `${scopeText}, ${at(range.from, "the beginning")} to ${at(range.to, "now")} (${[zoneName(zone), zoneOwner].filter(Boolean).join(", ")})`;
  const { counting, toggle } = useCounting(zone);
  const query = useReport({ kind, range: { ...range, orgId, ...counting(kind) }, isStill });
  // Numbers of the previous range do not match the title.
  const report = query.isPlaceholderData ? undefined : query.data;
  const save = () => {
    const [from, to] = [range.from, range.to].map((end) => (end ? new Date(end) : undefined));
    const name = exportName({ what: kind, organization: scopeText, from, to, now, zone, ending: "csv" });
    if (report) saveFile(name, toCsv(csvOf(kind, report, covers)), "text/csv");
  };
  return (
    <Box pb={32}>
      <PageHeader title="Reports" lead={covers}>
        <Group gap={8} data-screen>
          <RangeMenu view={chosen} onRange={setView} />
          <ReportZone />
          <Button variant="default" leftSection={<Download size={15} aria-hidden />} disabled={!report} onClick={save}>
            CSV
          </Button>
          <Button
            variant="default"
            leftSection={<Printer size={15} aria-hidden />}
            disabled={!report}
            onClick={() => window.print()}
          >
            Print
          </Button>
        </Group>
      </PageHeader>
      <Tabs
        value={kind}
        onChange={(value) => void setKind(REPORTS.find((name) => name === value) ?? null)}
        keepMounted={false}
      >
        <TabList label="Report" chosen={kind}>
          {REPORTS.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {REPORT_LABEL[name]}
            </Tabs.Tab>
          ))}
        </TabList>
        {REPORTS.map((name) => (
          <Tabs.Panel key={name} value={name} pt={20}>
            <Title order={2} size="md" px={24} pb={12} data-printed>
              {REPORT_LABEL[name]}
              {chosen.range ? `, ${PRESET_LABEL[chosen.range].toLowerCase()}` : ""}
            </Title>
            {toggle(name)}
            <ReportView
              kind={name}
              readAt={now.getTime()}
              range={{ ...range, orgId, ...counting(name) }}
              isStill={isStill}
              counted={{ range: chosen, tz: zone === local ? null : zone, orgId }}
            />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Box>
  );
}

const NARROWED = {
  activity: { param: "actors", label: "Include keys, agents and the system", by: { only: "people" } },
  security: { param: "routine", label: "Include routine policy evaluations", by: { routine: "without" } },
} as const;

/** Reports start without automatic activity; the address can include everything. */
function useCounting(zone: string) {
  const [all, setAll] = useQueryStates(
    { actors: parseAsStringLiteral(["all"]), routine: parseAsStringLiteral(["all"]) },
    { history: "push" },
  );
  const narrowed = (kind: Report) => (kind === "activity" || kind === "security" ? NARROWED[kind] : null);
  const counting = (kind: Report): Counting => {
    const found = narrowed(kind);
    return { zone, ...(found && all[found.param] === null && found.by) };
  };
  const toggle = (kind: Report) => {
    const found = narrowed(kind);
    if (!found) return null;
    return (
      <Switch
        mx={24}
        mb="lg"
        wrapperProps={{ "data-screen": true }}
        label={found.label}
        checked={all[found.param] !== null}
        onChange={(event) => void setAll({ [found.param]: event.currentTarget.checked ? "all" : null })}
      />
    );
  };
  return { counting, toggle };
}

type ReportViewProps<K extends Report> = {
  kind: K;
  readAt: number;
  range: ReportInput & Counting;
  isStill: () => boolean;
  counted: ViewProps<Reports[K]>["counted"];
};

function ReportView<K extends Report>({ kind, readAt, range, isStill, counted }: ReportViewProps<K>) {
  const query = useReport({ kind, range, isStill });
  const Shown = VIEW[kind] as ComponentType<ViewProps<Reports[K]>>;
  if (query.isPending)
    return (
      <Stack gap="xl" px="edge" role="status" aria-label="Loading the report">
        <Skeleton height={92} />
        <Skeleton height={280} />
      </Stack>
    );
  if (query.isError) return <QueryFailure query={query} what={`the report on ${REPORT_LABEL[kind].toLowerCase()}`} />;
  return (
    <div
      className={classes.report}
      data-stale={query.isPlaceholderData || undefined}
      aria-busy={query.isPlaceholderData}
    >
      <Shown report={query.data} counted={counted} input={range} readAt={readAt} />
    </div>
  );
}
