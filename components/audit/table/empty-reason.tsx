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

/** The words of a text that match nothing, with what may have been meant. */
type Meant = { word: string; instead: string };

/** Looks for the fewest words and filters to leave out of the view, and for mistyped words among them. */
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

/** A line with a word replaced wherever it stands. */
const replaced = (line: string, { word, instead }: Meant): string =>
  line
    .split(/(\s+)/)
    .map((one) => (one.toLowerCase().replace(/[^\p{L}\d]+$/u, "") === word.toLowerCase() ? instead : one))
    .join("");

/** Corrections for a search without matches, and the fewest words and filters to leave out so that something matches. */
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
