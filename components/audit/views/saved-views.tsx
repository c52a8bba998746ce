"use client";

import { Button } from "@mantine/core";
import { Bookmark } from "lucide-react";
import dynamic from "next/dynamic";
import { useRef, useState } from "react";
import classes from "@/components/audit/filters/menus.module.css";
import { Popover, PopoverSkeleton } from "@/components/ui/popover/popover";
import type { ViewRequest } from "./saved-view-row";

const SavedViewsMenu = dynamic(() => import("./saved-views-menu").then((m) => m.SavedViewsMenu), {
  ssr: false,
  loading: PopoverSkeleton,
});
const SaveView = dynamic(() => import("./save-view").then((m) => m.SaveView), { ssr: false });
const DeleteView = dynamic(() => import("./save-view").then((m) => m.DeleteView), { ssr: false });

/** Named filters: private, shared and built in. Loaded when the menu opens. */
export function SavedViews() {
  const [isOpen, setIsOpen] = useState(false);
  const [request, setRequest] = useState<ViewRequest | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const ask = (what: ViewRequest) => {
    setIsOpen(false);
    setRequest(what);
  };
  const done = () => {
    setRequest(null);
    button.current?.focus();
  };
  return (
    <>
      <Popover opened={isOpen} onClose={() => setIsOpen(false)} width={340}>
        <Popover.Target>
          <Button
            ref={button}
            size="xs"
            variant="default"
            onClick={() => setIsOpen(!isOpen)}
            leftSection={<Bookmark size={15} aria-hidden />}
          >
            Views
          </Button>
        </Popover.Target>
        <Popover.Dropdown className={classes.dropdown} aria-label="Views">
          <SavedViewsMenu onRequest={ask} onDone={() => setIsOpen(false)} />
        </Popover.Dropdown>
      </Popover>
      {request?.what === "save" && <SaveView saved={request.saved} onClose={done} />}
      {request?.what === "delete" && <DeleteView saved={request.saved} onClose={done} />}
    </>
  );
}
