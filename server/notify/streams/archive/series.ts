import { groupBy } from "@/server/ground/records";
import type { Manifest } from "@/server/notify/streams/destinations/archive-manifest";

/** An archived object and its fault; isBroken: it contradicts, else it is unproven. */
export type Found = {
  path: string;
  manifest: Manifest | null;
  faults: { isBroken: boolean; reason: string }[];
};

type Status = "intact" | "broken" | "unproven";

/** Verdict on one organization's archive. faults: contradictions. reasons: gaps in the proof. */
type OrganizationVerdict = {
  orgId: string;
  status: Status;
  objects: number;
  entries: number;
  first: number;
  last: number;
};
export type Verdict = { status: Status; organizations: OrganizationVerdict[]; faults: string[]; reasons: string[] };

const worst = (isBroken: boolean, isUnproven: boolean): Status =>
  isBroken ? "broken" : isUnproven ? "unproven" : "intact";

/** Missing objects that a later manifest names as predecessor. */
function gapsIn(manifests: readonly Manifest[]): Found["faults"] {
  const ends = new Map(manifests.map(({ digest, last }) => [digest, last]));
  const lowest = Math.min(...manifests.map(({ first }) => first));
  const faults: Found["faults"] = [];
  for (const { first, previous, object } of manifests) {
    if (previous === null) continue;
    const end = ends.get(previous);
    if (end === first - 1) continue;
    if (end !== undefined)
      faults.push({ isBroken: true, reason: `${object} does not begin where the one before ends` });
    else if (first === lowest)
      faults.push({ isBroken: false, reason: `the entries before sequence ${first} are in objects that are not here` });
    else faults.push({ isBroken: true, reason: `the object that ends before sequence ${first} is missing` });
  }
  return faults;
}

/** Judges all objects of an archive: each one's integrity, and gaps in the series. */
export function judgeSeries(found: readonly Found[]): Verdict {
  const read = found.filter(({ manifest }) => manifest !== null);
  const byOrg = groupBy(read, ({ manifest }) => manifest?.orgId ?? "");
  const all: Found["faults"] = [];
  const named = ({ path, faults }: Found) =>
    faults.map(({ isBroken, reason }) => ({ isBroken, reason: `${path}: ${reason}` }));
  const organizations = [...byOrg].map(([orgId, objects]) => {
    const manifests = objects.flatMap(({ manifest }) => manifest ?? []);
    const faults = [...objects.flatMap(named), ...gapsIn(manifests)];
    all.push(...faults);
    return {
      orgId,
      status: worst(
        faults.some(({ isBroken }) => isBroken),
        faults.length > 0,
      ),
      objects: manifests.length,
      entries: manifests.reduce((sum, { rows }) => sum + rows, 0),
      first: Math.min(...manifests.map(({ first }) => first)),
      last: Math.max(...manifests.map(({ last }) => last)),
    };
  });
  all.push(...found.filter(({ manifest }) => manifest === null).flatMap(named));
  const reasons = (isBroken: boolean) => all.filter((fault) => fault.isBroken === isBroken).map(({ reason }) => reason);
  const [broken, unproven] = [reasons(true), reasons(false)];
  return { status: worst(broken.length > 0, unproven.length > 0), organizations, faults: broken, reasons: unproven };
}
