"use client";

import { Drawer } from "@mantine/core";
import { Nav } from "./nav";

export function NavDrawer({ release, opened, onClose }: { release: string; opened: boolean; onClose: () => void }) {
  return (
    <Drawer opened={opened} onClose={onClose} hiddenFrom="sm" size={280} title="Trailmark" padding="lg">
      <Nav release={release} onFollow={onClose} />
    </Drawer>
  );
}
