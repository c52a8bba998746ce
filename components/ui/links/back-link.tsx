import { Anchor, Group } from "@mantine/core";
import { ArrowLeft } from "lucide-react";
import Link from "next/link";

/** Links from a page to its list or parent. */
export const BackLink = ({ href, children }: { href: string; children: string }) => (
  <Anchor component={Link} href={href} display="inline-block" mx="edge" mt={16} fz="md" data-screen>
    <Group component="span" gap={6}>
      <ArrowLeft size={15} aria-hidden />
      {children}
    </Group>
  </Anchor>
);
