import { StateTag, type Tone } from "@/components/ui/state-tag";
import type { OrganizationOverview } from "@/server/organizations/overview/schema";

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
