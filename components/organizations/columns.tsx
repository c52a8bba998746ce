import Link from "next/link";
import type { ReactNode } from "react";
import { bytes, count, counted } from "@/components/format/amounts";
import { growthText } from "@/components/format/growth";
import { When } from "@/components/format/when";
import { StateTag, type Tone } from "@/components/ui/state-tag";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/server/ground/time/durations";
import { perDay } from "@/server/organizations/overview/arrange";
import type { OrganizationOverview, Sort } from "@/server/organizations/overview/schema";

type Status = OrganizationOverview["chain"]["status"];

const TONE: Record<Status, Tone> = {
  intact: "good",
  broken: "bad",
  unproven: "warn",
  not_checked: "warn",
  empty: "off",
};
export const CHAIN_LABEL: Record<Status, string> = {
  intact: "Intact",
  broken: "Broken",
  unproven: "Not proven",
  not_checked: "Not checked yet",
  empty: "No entries yet",
};

/** A chain's status as color, icon and word. */
export const ChainTag = ({ status }: { status: Status }) => (
  <StateTag tone={TONE[status]}>{CHAIN_LABEL[status]}</StateTag>
);

/** "just now", "19 min ago", "5 h ago", "3 days ago": the time since an instant, in its largest unit. */
function ago(at: string, now: string): string {
  const ms = Date.parse(now) - Date.parse(at);
  if (ms < MINUTE_MS) return "just now";
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ago`;
  return `${Math.floor(ms / DAY_MS)} days ago`;
}

type Row = OrganizationOverview;
export type OrganizationColumn = {
  key: string;
  header: string;
  /** The sort order that a click on the header selects; null when the column cannot be sorted. */
  sort: Sort | null;
  align?: "end";
  /** readAt: when the server read the data, which relative times refer to. */
  cell: (row: Row, readAt: string) => ReactNode;
};

const TwoLines = ({ first, second }: { first: ReactNode; second?: ReactNode }) => (
  <div>
    {first}
    {second && <small>{second}</small>}
  </div>
);

/** "whole chain checked 3 days ago", "412 entries checked 5 h ago": scope and time of the last check. */
function lastCheckText({ chain, checkpoint }: Row, readAt: string): string {
  const { lastCheckedAt, lastCheckedEntries, lastFullCheck, status } = chain;
  if (!lastCheckedAt) return status === "empty" ? "" : checkpoint ? "read when signed" : "no check yet";
  const what =
    lastFullCheck?.at === lastCheckedAt ? "whole chain" : counted(lastCheckedEntries ?? 0, "entry", "entries");
  return `${what} checked ${ago(lastCheckedAt, readAt)}`;
}

const WITNESS_LABEL = {
  not_configured: "no witness configured",
  cosigned: "witnessed",
  missing: "not witnessed",
  no_checkpoint: "",
} satisfies Record<Row["witness"]["state"], string>;

const entriesOf = (orgId: string, result: string) => `/?orgId=${orgId}&range=24h&result=${result}`;

function ResultCount({ n, result, orgId }: { n: number; result: "failure" | "denied"; orgId: string }) {
  const text = result === "denied" ? `${count(n)} denied` : counted(n, "failure");
  if (n === 0) return <span className="tm-quiet">{text}</span>;
  return (
    <Link href={entriesOf(orgId, result)} prefetch={false} style={{ color: "var(--tm-bad)", lineHeight: "24px" }}>
      {text}
    </Link>
  );
}

function Retention({ retention }: Row): ReactNode {
  if (!retention.configured) return <TwoLines first="None" second="nothing is deleted" />;
  return (
    <TwoLines
      first={counted(retention.retentionDays ?? 0, "day")}
      second={retention.isDue ? "entries due for removal" : "nothing due"}
    />
  );
}

/** "siem.example.com, bucket audit": receivers of an organization's entries. */
export const leavesToText = ({ leavesTo }: Pick<Row, "leavesTo">): string =>
  [...new Set(leavesTo.map(({ target }) => target))].join(", ");

/** Receivers of its entries, inactive ones below. */
function LeavesTo({ streams }: { streams: Row["leavesTo"] }): ReactNode {
  if (streams.length === 0) return <span className="tm-quiet">Nothing</span>;
  const still = streams.filter(({ state }) => state !== "active");
  return (
    <TwoLines
      first={leavesToText({ leavesTo: streams })}
      second={still.map(({ name, state }) => `${name} ${state}`).join(", ")}
    />
  );
}

export const COLUMNS: OrganizationColumn[] = [
  {
    key: "chain",
    header: "Chain",
    sort: "checked",
    cell: (row, readAt) => (
      <TwoLines first={<ChainTag status={row.chain.status} />} second={lastCheckText(row, readAt)} />
    ),
  },
  {
    key: "checkpoint",
    header: "Checkpoint",
    sort: null,
    cell: ({ checkpoint, witness }, readAt) =>
      checkpoint ? (
        <TwoLines first={ago(checkpoint.signedAt, readAt)} second={WITNESS_LABEL[witness.state]} />
      ) : (
        <TwoLines first={<span className="tm-quiet">None</span>} />
      ),
  },
  { key: "retention", header: "Retention", sort: "retention", cell: (row) => <Retention {...row} /> },
  {
    key: "oldest",
    header: "Oldest entry",
    sort: "oldest",
    cell: ({ oldestAt }) => <When at={oldestAt} none="No entries" dateOnly />,
  },
  {
    key: "growth",
    header: "Growth",
    sort: "growth",
    align: "end",
    cell: ({ growth }, readAt) => (
      <TwoLines
        first={growthText(growth.month, readAt)}
        second={perDay(growth.week, Date.parse(readAt)) !== null && `7 days: ${growthText(growth.week, readAt)}`}
      />
    ),
  },
  {
    key: "failures",
    header: "Last 24 h",
    sort: "failures",
    cell: ({ failures, denied, orgId }) => (
      <TwoLines
        first={<ResultCount n={failures} result="failure" orgId={orgId} />}
        second={<ResultCount n={denied} result="denied" orgId={orgId} />}
      />
    ),
  },
  {
    key: "devices",
    header: "Devices",
    sort: "devices",
    cell: ({ devices }) =>
      devices &&
      (devices.online + devices.offline === 0 ? (
        <span className="tm-quiet">None</span>
      ) : (
        <TwoLines
          first={`${count(devices.online)} of ${count(devices.online + devices.offline)} online`}
          second={devices.silent > 0 ? `${count(devices.silent)} offline for 24 h` : undefined}
        />
      )),
  },
  {
    key: "leavesTo",
    header: "Leaves to",
    sort: null,
    cell: ({ leavesTo }) => <LeavesTo streams={leavesTo} />,
  },
  {
    key: "storage",
    header: "Storage",
    sort: "storage",
    align: "end",
    cell: (row) => <TwoLines first={bytes(row.bytes)} second={counted(row.entries, "entry", "entries")} />,
  },
];
