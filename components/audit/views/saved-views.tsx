"use client";

import { Bookmark } from "lucide-react";
import dynamic from "next/dynamic";
import { useRef, useState } from "react";
import { ToolMenu } from "@/components/audit/filters/tool";
import { PopoverSkeleton } from "@/components/ui/popover/popover";
import type { ViewRequest } from "./saved-view-row";

const SavedViewsMenu = dynamic(() => import("./saved-views-menu").then((m) => m.SavedViewsMenu), {
  ssr: false,
  loading: PopoverSkeleton,
});
const SaveView = dynamic(() => import("./save-view").then((m) => m.SaveView), { ssr: false });
const DeleteView = dynamic(() => import("./save-view").then((m) => m.DeleteView), { ssr: false });

/** Named filters: private, shared and built in. Loaded when the menu opens. */
export function SavedViews() {
  const [request, setRequest] = useState<ViewRequest | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const done = () => {
    setRequest(null);
    button.current?.focus();
  };
  return (
    <>
      <ToolMenu name="Views" icon={Bookmark} width={340} ref={button}>
        {(close) => (
          <SavedViewsMenu
            onRequest={(what) => {
              close();
              setRequest(what);
            }}
            onDone={close}
          />
        )}
      </ToolMenu>
      {request?.what === "save" && <SaveView saved={request.saved} onClose={done} />}
      {request?.what === "delete" && <DeleteView saved={request.saved} onClose={done} />}
    </>
  );
}
