import { Group, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { count } from "@/components/format/amounts";
import { clock } from "@/components/format/time";
import { PageLink } from "@/components/ui/links/page-link";
import {
  NEW_ADDRESS_TYPES,
  PRIVILEGED_ACTIONS,
  type TodayKind,
  type Today as TodayLines,
} from "@/server/organizations/overview/schema";
import classes from "./today.module.css";

type Line = TodayLines["lines"][number];

/** More organizations than fit into an address are shown as all. */
const MAX_NAMED = 20;

const inLog = ({ organizations }: Line, since: string, filter: Record<string, string>): string => {
  const orgIds = organizations.length <= MAX_NAMED ? organizations.map(({ orgId }) => orgId).join(",") : "";
  return `/?${new URLSearchParams({ ...filter, from: since, ...(orgIds && { orgId: orgIds }) })}`;
};

type Words = { one: string; many: string; isBad?: true; href: (line: Line, since: string) => string };

const WORDS: Record<TodayKind, Words> = {
  alert: { one: "open alert", many: "open alerts", isBad: true, href: () => "/alerts?state=open" },
  chain: {
    one: "broken or unverified chain",
    many: "broken or unverified chains",
    isBad: true,
    href: () => "/organizations?show=chain",
  },
  failure: { one: "failure", many: "failures", href: (line, since) => inLog(line, since, { result: "failure" }) },
  denied: { one: "denial", many: "denials", href: (line, since) => inLog(line, since, { result: "denied" }) },
  new_address: {
    one: "entry from a new address",
    many: "entries from new addresses",
    href: (line, since) => inLog(line, since, { new: "address", actorType: NEW_ADDRESS_TYPES.join(",") }),
  },
  privileged: {
    one: "privileged change",
    many: "privileged changes",
    href: (line, since) => inLog(line, since, { actions: PRIVILEGED_ACTIONS.join(","), result: "success" }),
  },
  silent: {
    one: "device offline for 24 h",
    many: "devices offline for 24 h",
    href: () => "/organizations?show=silent",
  },
  retention: {
    one: "retention under 365 days",
    many: "retentions under 365 days",
    href: () => "/organizations?show=retention",
  },
};

/** "at Contoso", "in 3 organizations"; empty for a caller of one organization. */
const placeOf = ({ organizations: [first, second, ...more] }: Line, of: number): string => {
  if (of === 1 || !first) return "";
  return second ? ` in ${count(more.length + 2)} organizations` : ` at ${first.name}`;
};

/** Unusual events since yesterday, each linked to its list. */
export function Today({ today, zone }: { today: TodayLines; zone: string }) {
  const { since, lines, organizations } = today;
  const scope = organizations === 1 ? "1 organization" : `${count(organizations)} organizations`;
  const start = `${clock(since, zone).slice(0, 5)} yesterday`;
  if (lines.length === 0)
    return (
      <Strip>
        Nothing unusual in {scope} since {start}
      </Strip>
    );
  return (
    <Strip>
      <Title order={2} size="md" title={`Since ${start}`}>
        Today
      </Title>
      <ul className={classes.lines}>
        {lines.map((line) => {
          const { one, many, isBad, href } = WORDS[line.kind];
          return (
            <li key={line.kind} data-bad={isBad}>
              <PageLink href={href(line, since)}>
                {count(line.count)} {line.count === 1 ? one : many}
              </PageLink>
              {placeOf(line, organizations)}
              {line.usual !== null && `, usually ${count(line.usual)}`}
            </li>
          );
        })}
      </ul>
    </Strip>
  );
}

/** One scrolling line: it loads after the page, and must not move the content below. */
const Strip = ({ children }: { children: ReactNode }) => (
  <Group
    component="section"
    className={`tm-figures ${classes.today}`}
    gap={20}
    px="edge"
    c="dimmed"
    wrap="nowrap"
    aria-label="Today"
    data-screen
  >
    {children}
  </Group>
);
