import { Chip, Group } from "@mantine/core";
import { SOURCE_LABEL, TIMELINE_SOURCES, type TimelineSource } from "@/server/devices/timeline/vocabulary";

type Props = { sources: readonly TimelineSource[]; onChange: (sources: TimelineSource[]) => void };

/** Toggles for the source logs of a timeline; at least one stays selected. */
export const SourceChips = ({ sources, onChange }: Props) => (
  <Chip.Group
    multiple
    value={[...sources]}
    onChange={(values) => values.length > 0 && onChange(TIMELINE_SOURCES.filter((source) => values.includes(source)))}
  >
    <Group gap={6} role="group" aria-label="Logs">
      {TIMELINE_SOURCES.map((source) => (
        <Chip key={source} value={source} size="sm">
          {SOURCE_LABEL[source]}
        </Chip>
      ))}
    </Group>
  </Chip.Group>
);
