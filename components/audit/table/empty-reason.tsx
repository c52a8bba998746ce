"use client";

import { Button, Group } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { suggestionsNear } from "@/components/audit/search/did-you-mean";
import { namesQuery, useReader } from "@/components/audit/search/reader";
import { type Droppable, droppableFilters, fewestDrops, withoutParts } from "@/components/audit/state/fewest-drops";
import { FROM_START, toListInput, totalQuery, type View } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import { counted } from "@/components/format/amounts";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";

/** A word without matches, and a suggestion. */
type Meant = { word: string; instead: string };

/** Finds the fewest words and filters to drop, and mistyped words. */
function useReason(parts: Droppable[]) {
  const { view, now } = useViewer();
  const { zone } = useZone();
  const trpc = useTRPC();
  const client = useQueryClient();
  const input = toListInput(view, zone, now);
  return useQuery({
    queryKey: ["audit", "empty reason", input],
    async queryFn() {
      const { found, dead } = await fewestDrops(parts, async (kept) => {
        const rest = withoutParts(
          view,
          parts.filter((part) => !kept.includes(part)),
        );
        const page = await client.fetchQuery(totalQuery(trpc, toListInput(rest, zone, now)));
        return page.pagination.total;
      });
      const words = dead.flatMap(({ word }) => word ?? []);
      const { names } = words.length > 0 ? await client.fetchQuery(namesQuery(trpc, words, true)) : { names: [] };
      const meant = words.flatMap((word): Meant[] =>
        suggestionsNear(word, names).map((instead) => ({ word, instead })),
      );
      return { found, meant };
    },
  });
}

const replaced = (line: string, { word, instead }: Meant): string =>
  line
    .split(/(\s+)/)
    .map((one) => (one.toLowerCase().replace(/[^\p{L}\d]+$/u, "") === word.toLowerCase() ? instead : one))
    .join("");

/** Corrections for a search without matches, and the fewest words and filters to drop. */
export function EmptyReason() {
  const { view, setView, audit } = useViewer();
  const { zone } = useZone();
  const reader = useReader(zone);
  const { data, isError } = useReason(droppableFilters(view, zone, audit.names));
  const change = (next: Partial<View>) => setView({ ...next, ...FROM_START });
  const search = async (meant: Meant) =>
    change(await reader.readInstead(view, replaced(view.typed ?? view.q ?? "", meant)));
  if (isError) return <p role="status">The words and filters could not be counted.</p>;
  if (!data) return <p role="status">Finding what to leave out …</p>;
  if (data.found.length === 0 && data.meant.length === 0) return <p role="status">Try fewer words.</p>;
  return (
    <div role="status">
      {data.meant.length > 0 && (
        <Group gap="sm" justify="center" mb="sm">
          Did you mean
          {data.meant.map((meant) => (
            <Button key={`${meant.word} ${meant.instead}`} onClick={() => void search(meant)}>
              {meant.instead}
            </Button>
          ))}
        </Group>
      )}
      <Group gap="sm" justify="center">
        {data.found.map(({ parts, total }) => (
          <Button
            key={parts.map(({ key }) => key).join("\n")}
            variant="default"
            onClick={() => change(withoutParts(view, parts))}
          >
            Without {parts.map(({ label }) => label).join(" and ")}: {counted(total, "entry", "entries")}
          </Button>
        ))}
      </Group>
    </div>
  );
}
