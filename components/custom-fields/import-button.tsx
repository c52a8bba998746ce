import { Button } from "@mantine/core";
import { FileUp } from "lucide-react";
import Link from "next/link";
import { useCan } from "@/components/account/org";

/** Link to the custom field import; requires permission. */
export function ImportButton({ children }: { children: string }) {
  const mayImport = useCan("custom_fields:import");
  if (!mayImport) return null;
  return (
    <Button
      variant="default"
      component={Link}
      href="/settings/custom-fields/import"
      leftSection={<FileUp size={15} aria-hidden />}
    >
      {children}
    </Button>
  );
}
