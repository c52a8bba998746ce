"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { CalendarClock } from "lucide-react";
import { useState } from "react";
import { PRESET_LABEL } from "@/components/audit/state/range";
import { Popover } from "@/components/ui/popover/popover";
import classes from "./menus.module.css";
import type { RangeChoices, RangeView } from "./range-choices";

type Props = { view: RangeView; onRange: (range: RangeView) => void };

const rangeName = (view: RangeView) =>
  view.range ? PRESET_LABEL[view.range] : view.from || view.to ? "Custom range" : "All time";

/**
 * The selected time range and a menu to change it. The menu's content is preloaded on hover and focus, so that it never
 * opens empty as it would with React.lazy.
 */
export function RangeMenu({ view, onRange }: Props) {
  const [opened, menu] = useDisclosure(false);
  const [Choices, setChoices] = useState<typeof RangeChoices | null>(null);
  const load = () => import("./range-choices").then((m) => setChoices(() => m.RangeChoices));
  const prepare = () => void load().catch(() => undefined);
  const toggle = () => {
    menu.toggle();
    load().catch((error) =>
      setChoices(() => {
        throw error; // rethrown during rendering, for the page's error boundary
      }),
    );
  };
  return (
    <Popover opened={opened} onClose={menu.close} width={320}>
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          onClick={toggle}
          onPointerEnter={prepare}
          onFocus={prepare}
          leftSection={<CalendarClock size={15} aria-hidden />}
          aria-label={`Time range: ${rangeName(view)}`}
        >
          {rangeName(view)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.dropdown} aria-label="Time range">
        {Choices && <Choices view={view} onRange={onRange} onDone={menu.close} />}
      </Popover.Dropdown>
    </Popover>
  );
}
