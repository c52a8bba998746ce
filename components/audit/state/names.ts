"use client";

import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { useOrg } from "@/components/account/org";
import type { Entry } from "@/components/audit/entry";
import { useTRPC } from "@/components/trpc";
import { joinValues, splitValues } from "@/server/audit/query/values";
import type { FullPage } from "@/server/audit/schema";
import type { View } from "./address";
import { namesOf } from "./labels";
import { exclusionsOf } from "./narrow";

const NAMED = ["actorId", "rawActorId", "resourceId"] as const;
type IdFilter = { name: (typeof NAMED)[number]; id: string };

/** The ids of actors and resources that the view filters by or excludes. */
const idsIn = (view: View): IdFilter[] => [
  ...NAMED.flatMap((name) => splitValues(view[name] ?? "").map((id) => ({ name, id }))),
  ...exclusionsOf(view).flatMap((one) => NAMED.flatMap((name) => (name === one.name ? { name, id: one.value } : []))),
];

const entriesIn = (pages: { data: FullPage | undefined }[]): Entry[] => pages.flatMap(({ data }) => data?.data ?? []);

/**
 * Names for the ids in the filters: from the entries on the page, otherwise from the newest entry with that id
 * (excluded ids are never on the page).
 */
export function useNames(view: View, shown: Entry[]): ReadonlyMap<string, string> {
  const trpc = useTRPC();
  const { organizations } = useOrg();
  const known = useMemo(() => namesOf(shown, organizations), [shown, organizations]);
  const others = useQueries({
    queries: idsIn(view)
      .filter(({ id }) => !known.has(id))
      .map(({ name, id }) =>
        trpc.audit.list.queryOptions(
          { [name]: joinValues([id]), limit: 1, skipCount: true },
          { staleTime: Number.POSITIVE_INFINITY },
        ),
      ),
    combine: entriesIn,
  });
  return useMemo(() => new Map([...namesOf(others), ...known]), [others, known]);
}
