"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { ListFilter } from "lucide-react";
import dynamic from "next/dynamic";
import { Popover } from "../shell/popover";
import { FORM_NAMES, type View } from "./filters";
import classes from "./menus.module.css";
import type { SetView } from "./toolbar";

const FilterForm = dynamic(() => import("./filter-form").then((m) => m.FilterForm), {
  ssr: false,
  loading: () => <div className={classes.formRoom} />,
});

/** The filters as a form; all of it counts at once when it is applied. */
export function FilterMenu({ view, setView }: { view: View; setView: SetView }) {
  const [opened, menu] = useDisclosure(false);
  const count = FORM_NAMES.filter((name) => view[name]).length;
  return (
    <Popover opened={opened} onClose={menu.close} width={340}>
      <Popover.Target>
        <Button variant="default" onClick={menu.toggle} leftSection={<ListFilter size={15} aria-hidden />}>
          {count ? `Filters (${count})` : "Filters"}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.dropdown} aria-label="Filters">
        <FilterForm view={view} setView={setView} onDone={menu.close} />
      </Popover.Dropdown>
    </Popover>
  );
}
